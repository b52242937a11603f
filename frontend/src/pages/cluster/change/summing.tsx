import type { Cost, Preview } from '../../../api/schema';
import { perHour } from '../../../components/money';
import { partsOf } from './preview-parts';

/** What a preview comes to, in a few lines. */
export function Summing({ preview }: { preview: Preview }) {
  const { done, kept } = partsOf(preview);
  const lost = done.changes.filter(({ irreversible }) => irreversible === true).length;
  return (
    <ul>
      <li>
        {counted(done.changes.length, 'change')}, of which {lost} cannot be undone
      </li>
      {kept.changes.length > 0 && <li>{counted(kept.changes.length, 'resource')} kept</li>}
      {preview.cost && <li>{costOf(preview.cost)}</li>}
    </ul>
  );
}

function costOf(cost: Cost): string {
  const saved = cost.per_hour < 0;
  return `${perHour({ ...cost, per_hour: Math.abs(cost.per_hour) })} ${saved ? 'saved' : 'more'}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
