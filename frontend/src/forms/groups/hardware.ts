import type { AutosuggestProps } from '@cloudscape-design/components/autosuggest';
import type { InstanceTypeView, QuotaView, ZoneView } from '../../api/schema';
import { perHour } from '../../components/money';

const COUNT = new Intl.NumberFormat();

/** What an instance type is made of, in one line. */
export function hardwareOf(type: InstanceTypeView): string {
  const { accelerator, accelerator_count, accelerator_memory_gib, vcpus, memory_gib, efa_interfaces } = type;
  const parts = [
    accelerator && `${accelerator_count} × ${accelerator}, ${COUNT.format(accelerator_memory_gib)} GiB each`,
    `${vcpus} vCPUs`,
    `${COUNT.format(memory_gib)} GiB memory`,
    efa_interfaces > 0 && `${efa_interfaces} EFA`,
  ];
  return parts.filter(Boolean).join(' · ');
}

/** Whether a zone offers a type; null where EC2 did not say. */
export function isOffered(type: InstanceTypeView, zone: string): boolean | null {
  return type.availability_zones === null || zone === '' ? null : type.availability_zones.includes(zone);
}

/** The types to choose from, those with accelerators first, and whether the zone offers each. */
export function typeOptions(types: readonly InstanceTypeView[], zone: string): AutosuggestProps.Options {
  return [...types]
    .sort((a, b) => Number(b.accelerator_count > 0) - Number(a.accelerator_count > 0))
    .map((type) => ({
      value: type.name,
      description: hardwareOf(type),
      labelTag: type.price ? perHour(type.price) : undefined,
      tags: isOffered(type, zone) === false ? [`Not offered in ${zone}`] : undefined,
    }));
}

/** The zones to choose from, and which of some types each does not offer. */
export function zoneOptions(zones: readonly ZoneView[]): AutosuggestProps.Options {
  return zones.map(({ name, id, state, instance_types }) => {
    const lacking = (instance_types ?? []).filter(({ offered }) => offered === false);
    return {
      value: name,
      labelTag: id,
      tags: state === 'available' ? undefined : [state],
      description: lacking.length
        ? `Does not offer ${lacking.map(({ instance_type }) => instance_type).join(', ')}`
        : undefined,
      filteringTags: [id],
    };
  });
}

/** What is left of the quotas on an instance type, in one line each. */
export function quotasOf(quotas: readonly QuotaView[], type: string): string[] {
  return quotas
    .filter(({ name }) => name.startsWith(`${type} for `))
    .map(({ name, value, available }) => {
      const use = name.slice(`${type} for `.length);
      return value === null ? `Quota for ${use}: not known` : `Quota for ${use}: ${leftOf(available, value)}`;
    });
}

function leftOf(available: number | null, value: number): string {
  return available === null
    ? `${COUNT.format(value)}, use not known`
    : `${COUNT.format(available)} of ${COUNT.format(value)} left`;
}
