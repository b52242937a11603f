import type { ClusterSpec, UpdateCluster } from '../../../api/schema';
import type { Touched } from '../../../api/wishes';

export interface TagRow {
  key: string;
  value: string;
}

/** What a person has in the form about owners and tags. */
export interface Settings {
  owners: readonly string[];
  tags: readonly TagRow[];
}

export function settingsOf({ owner_groups, company_tags }: ClusterSpec): Settings {
  return {
    owners: owner_groups ?? [],
    tags: Object.entries(company_tags ?? {}).map(([key, value]) => ({ key, value })),
  };
}

/** What of the settings differs from those that the form was opened with; rows that stayed empty are none. */
export function touchedOf(first: Settings, now: Settings): Touched<UpdateCluster> {
  const [before, after] = [bodyOf(first), bodyOf(now)];
  return {
    ...(differ(before.owner_groups, after.owner_groups) && { owner_groups: after.owner_groups }),
    ...(differ(before.company_tags, after.company_tags) && { company_tags: after.company_tags }),
  };
}

function bodyOf({ owners, tags }: Settings) {
  const filled = tags.filter(({ key, value }) => key !== '' || value !== '');
  return {
    owner_groups: owners.filter((owner) => owner !== ''),
    company_tags: Object.fromEntries(filled.map(({ key, value }) => [key, value])),
  };
}

function differ(one: object, other: object): boolean {
  const sorted = (value: object) => JSON.stringify(Array.isArray(value) ? value : Object.entries(value).sort());
  return sorted(one) !== sorted(other);
}
