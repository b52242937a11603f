import type { PlannedCapacity } from '../../../api/schema';
import { NotSaid } from '../../../components/unknowns';

/** What a plan reserves: how many of which type, in which zone. */
export function Capacities({ capacities }: { capacities: readonly PlannedCapacity[] }) {
  return capacities.map(({ instance_type, instances, availability_zone, availability_zone_id, starts_at }) => (
    <div key={`${instance_type} ${availability_zone_id} ${starts_at}`} className="value">
      {instances} × {instance_type} in {availability_zone ?? availability_zone_id ?? <NotSaid />}
    </div>
  ));
}

/** A fee as AWS words it: an amount as text, and the currency. */
export function Fee({ upfront_fee, currency }: { upfront_fee: string | null; currency: string | null }) {
  return upfront_fee === null ? <NotSaid /> : [upfront_fee, currency].filter(Boolean).join(' ');
}
