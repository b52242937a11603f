import type { InstanceTypeFilters } from '../../../api/catalog';
import type { InstanceTypeView } from '../../../api/schema';

/** What the address of the page asks for: the API's own filters, and words to look for in what it answers. */
export function wantedIn(search: URLSearchParams): { filters: InstanceTypeFilters; words: string } {
  const filters: InstanceTypeFilters = {};
  const [accelerated, efa, zone] = ['accelerated', 'efa', 'availability_zone'].map((name) => search.get(name));
  if (accelerated) {
    filters.accelerated = accelerated === 'true';
  }
  if (efa) {
    filters.efa = efa === 'true';
  }
  if (zone) {
    filters.availability_zone = zone;
  }
  return { filters, words: search.get('words') ?? '' };
}

/** The types whose name, accelerator or architecture holds every word. */
export function matching(types: readonly InstanceTypeView[], words: string): InstanceTypeView[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return types.filter(({ name, accelerator, architecture }) => {
    const text = [name, accelerator, architecture].join(' ').toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

/** The memory of all accelerators of a type, in GiB. */
export function acceleratorMemory({ accelerator_count, accelerator_memory_gib }: InstanceTypeView): number {
  return accelerator_count * accelerator_memory_gib;
}
