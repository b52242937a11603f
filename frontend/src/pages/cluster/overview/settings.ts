import type { ClusterSpec, UpdateCluster } from '../../../api/schema';
import type { Touched } from '../../../api/wishes';
import { named, type Pair, sent, touched } from '../../../forms/sending';

type Present = Pick<ClusterSpec, 'owner_groups' | 'company_tags'>;

/** What a person has in the form about owners and tags. */
export interface Settings {
  owners: readonly string[];
  tags: readonly Pair[];
}

export function settingsOf({ owner_groups, company_tags }: Present): Settings {
  return {
    owners: owner_groups ?? [],
    tags: Object.entries(company_tags ?? {}).map(([key, value]) => ({ key, value })),
  };
}

/**
 * What is sent of settings that were opened as `first`: the person's own edits, made to what there is at present.
 *
 * The API takes each side as a whole, so that what others added meanwhile would be dropped with what was first shown.
 */
export function touchedOf(first: Settings, now: Settings, present: Present): Touched<UpdateCluster> {
  return touched({ owner_groups: ownersOf(first, now, present), company_tags: tagsOf(first, now, present) }) ?? {};
}

function ownersOf(first: Settings, now: Settings, { owner_groups = [] }: Present): string[] | undefined {
  const [before, after] = [namesOf(first), namesOf(now)];
  if (JSON.stringify(before) === JSON.stringify(after)) {
    return undefined;
  }
  const kept = owner_groups.filter((owner) => after.includes(owner) || !before.includes(owner));
  const added = after.filter((owner) => !before.includes(owner) && !kept.includes(owner));
  return [...kept, ...added];
}

function tagsOf(first: Settings, now: Settings, { company_tags }: Present): Record<string, string> | undefined {
  const [before, after] = [named(first.tags) ?? {}, named(now.tags) ?? {}];
  const gone = Object.keys(before).filter((key) => !(key in after));
  const put = Object.entries(after).filter(([key, value]) => before[key] !== value);
  if (gone.length + put.length === 0) {
    return undefined;
  }
  const kept = Object.entries(company_tags ?? {}).filter(([key]) => !gone.includes(key));
  return Object.fromEntries([...kept, ...put]);
}

function namesOf({ owners }: Settings): string[] {
  return owners.flatMap((owner) => sent(owner) ?? []);
}
