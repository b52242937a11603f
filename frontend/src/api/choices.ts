import { useQuery } from '@tanstack/react-query';
import { useApi } from './api-context';
import type { Api } from './client';
import { answered } from './client';
import { keys } from './keys';
import { type Listing, useListing } from './listings';
import type {
  ImportableCluster,
  ImportableClusterPage,
  InstanceTypeView,
  TrainingPlanPage,
  TrainingPlanView,
} from './schema';

// What forms choose from changes rarely; prices and hardware hardly ever.
const STAYS = 10 * 60_000;
const LARGEST_PAGE = 200;

/** The zones of the region, and which of some instance types each offers. */
export function useZones(types: readonly string[]) {
  const api = useApi();
  const query = { instance_types: types.join(',') || undefined };
  return useQuery({
    queryKey: keys.catalog.of('availability_zones', query),
    queryFn: () => answered(api.GET('/api/catalog/availability_zones', { params: { query } })),
    placeholderData: (before) => before,
    staleTime: STAYS,
  });
}

/** All instance types that a HyperPod cluster accepts. */
export function useInstanceTypes() {
  const api = useApi();
  return useQuery({
    queryKey: keys.catalog.of('all_instance_types'),
    queryFn: () => allInstanceTypes(api),
    staleTime: STAYS,
  });
}

async function allInstanceTypes(api: Api): Promise<InstanceTypeView[]> {
  const found: InstanceTypeView[] = [];
  let next_token: string | undefined;
  do {
    const query = { limit: LARGEST_PAGE, next_token };
    const page = await answered(api.GET('/api/catalog/instance_types', { params: { query } }));
    found.push(...(page.instance_types ?? []));
    next_token = page.next_token ?? undefined;
  } while (next_token !== undefined);
  return found;
}

/** The quotas on some instance types, with their use. */
export function useQuotas(types: readonly string[]) {
  const api = useApi();
  const query = { instance_types: [...types].sort().join(',') };
  return useQuery({
    queryKey: keys.catalog.of('quotas', query),
    queryFn: () => answered(api.GET('/api/catalog/quotas', { params: { query } })),
    enabled: types.length > 0,
    placeholderData: (before) => before,
  });
}

/** The training plans of the account, and why AWS did not tell of some. */
export function useTrainingPlans(enabled: boolean): Told<TrainingPlanView> {
  const api = useApi();
  const pages = useListing<TrainingPlanPage, TrainingPlanPage>({
    key: keys.catalog.of('training_plans'),
    read: (next_token) =>
      answered(api.GET('/api/catalog/training_plans', { params: { query: { limit: LARGEST_PAGE, next_token } } })),
    items: (page) => [page],
    enabled,
  });
  return toldOf(pages, ({ training_plans }) => training_plans);
}

/** The Kubernetes versions that a new cluster may have. */
export function useKubernetesVersions(enabled: boolean) {
  const api = useApi();
  return useQuery({
    queryKey: keys.catalog.of('kubernetes_versions'),
    queryFn: () => answered(api.GET('/api/catalog/kubernetes_versions')),
    staleTime: STAYS,
    enabled,
  });
}

/** The address ranges that a new cluster would get by itself. */
export function useSuggestedRanges(cluster_tag: string | undefined, enabled: boolean) {
  const api = useApi();
  const query = { cluster_tag };
  return useQuery({
    queryKey: keys.catalog.of('cidr_suggestion', query),
    queryFn: () => answered(api.GET('/api/catalog/cidr_suggestion', { params: { query } })),
    placeholderData: (before) => before,
    enabled,
  });
}

/** The EKS clusters of the region that could be imported, and why AWS did not tell of some. */
export function useImportableClusters(): Told<ImportableCluster> {
  const api = useApi();
  const pages = useListing<ImportableClusterPage, ImportableClusterPage>({
    key: keys.catalog.of('importable_clusters'),
    read: (next_token) => answered(api.GET('/api/catalog/importable_clusters', { params: { query: { next_token } } })),
    items: (page) => [page],
  });
  return toldOf(pages, ({ importable_clusters }) => importable_clusters);
}

/** What a list of the catalog tells; what it does not is in `unknown`, which is no emptiness. */
export interface Told<Item> extends Listing<Item> {
  unknown: readonly Unknown[];
}

type Unknown = NonNullable<ImportableClusterPage['unknown']>[number];

interface Answer {
  unknown?: Unknown[];
}

function toldOf<Page extends Answer, Item>(
  pages: Listing<Page>,
  items: (page: Page) => readonly Item[] | null,
): Told<Item> {
  return {
    ...pages,
    items: pages.items.flatMap((page) => items(page) ?? []),
    unknown: pages.items.flatMap(({ unknown }) => unknown ?? []),
  };
}
