import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useApi } from './api-context';
import type { Api } from './client';
import { answered } from './client';
import { keys } from './keys';
import { type Listing, useListing } from './listings';
import type {
  FunctionsCatalogAnswersModelsUnknown,
  ImportableCluster,
  ImportableClusterPage,
  InstanceTypePage,
  InstanceTypeView,
  paths,
  TrainingPlanPage,
  TrainingPlanView,
} from './schema';

/** A part of an answer that AWS did not give: which, why not, and what helps. */
export type Unknown = FunctionsCatalogAnswersModelsUnknown;

type QueryOf<Path extends keyof paths> = paths[Path] extends { get: { parameters: { query?: infer Query } } }
  ? NonNullable<Query>
  : never;

export type InstanceTypeFilters = Omit<QueryOf<'/api/catalog/instance_types'>, 'limit' | 'next_token'>;
export type OfferingSearch = QueryOf<'/api/catalog/training_plan_offerings'>;
export type RangeWish = QueryOf<'/api/catalog/cidr_suggestion'>;

const LARGEST_PAGE = 200;
// What AWS offers changes in months, and what it did not say may be said in a minute.
const FRESH_FOR = 60_000;

/** How something is asked for. */
interface Asking {
  enabled?: boolean;
  /** Whether the answer to the question before stands until this one is answered: for what is typed at. */
  keepsBefore?: boolean;
}

/** All instance types that pass the filters: they can be sorted by what the API does not sort by. */
export function useInstanceTypes(filters: InstanceTypeFilters = {}) {
  const api = useApi();
  return useQuery({
    queryKey: keys.catalog.of('instance_types', filters),
    queryFn: () => allInstanceTypes(api, filters),
    staleTime: FRESH_FOR,
  });
}

export function useInstanceType(instance_type: string) {
  const api = useApi();
  return useQuery({
    queryKey: keys.catalog.of('instance_type', { instance_type }),
    queryFn: () =>
      answered(api.GET('/api/catalog/instance_types/{instance_type}', { params: { path: { instance_type } } })),
    staleTime: FRESH_FOR,
  });
}

/** The quotas by which a cluster is judged, and those on some instance types. */
export function useQuotas(types: readonly string[], { enabled = true, keepsBefore = false }: Asking = {}) {
  const api = useApi();
  const instance_types = [...types].sort().join(',') || undefined;
  return useQuery({
    queryKey: keys.catalog.of('quotas', { instance_types }),
    queryFn: () => answered(api.GET('/api/catalog/quotas', { params: { query: { instance_types } } })),
    enabled,
    placeholderData: keepsBefore ? keepPreviousData : undefined,
  });
}

/** The zones, and which of some instance types each offers. */
export function useZones(types: readonly string[], { keepsBefore = false }: Asking = {}) {
  const api = useApi();
  const instance_types = [...types].sort().join(',') || undefined;
  return useQuery({
    queryKey: keys.catalog.of('availability_zones', { instance_types }),
    queryFn: () => answered(api.GET('/api/catalog/availability_zones', { params: { query: { instance_types } } })),
    staleTime: FRESH_FOR,
    placeholderData: keepsBefore ? keepPreviousData : undefined,
  });
}

/** The Kubernetes versions that clusters may have, the newest first. */
export function useKubernetesVersions() {
  const api = useApi();
  return useQuery({
    queryKey: keys.catalog.of('kubernetes_versions'),
    queryFn: () => answered(api.GET('/api/catalog/kubernetes_versions')),
    staleTime: FRESH_FOR,
  });
}

/** The training plans of the account. */
export function useTrainingPlans(): Told<TrainingPlanView> {
  const api = useApi();
  const pages = useListing<TrainingPlanPage, TrainingPlanPage>({
    key: keys.catalog.of('training_plans'),
    read: (next_token) => answered(api.GET('/api/catalog/training_plans', { params: { query: { next_token } } })),
    items: (page) => [page],
  });
  return toldOf(pages, ({ training_plans }) => training_plans);
}

/** The EKS clusters of the region that could be imported. */
export function useImportableClusters(): Told<ImportableCluster> {
  const api = useApi();
  const pages = useListing<ImportableClusterPage, ImportableClusterPage>({
    key: keys.catalog.of('importable_clusters'),
    read: (next_token) => answered(api.GET('/api/catalog/importable_clusters', { params: { query: { next_token } } })),
    items: (page) => [page],
  });
  return toldOf(pages, ({ importable_clusters }) => importable_clusters);
}

/** What could be reserved; asked when there is a search. */
export function useOfferings(search: OfferingSearch | null) {
  const api = useApi();
  return useQuery({
    queryKey: keys.catalog.of('training_plan_offerings', search ?? {}),
    queryFn: () =>
      answered(api.GET('/api/catalog/training_plan_offerings', { params: { query: search as OfferingSearch } })),
    enabled: search !== null,
    retry: false,
    // An offering is good for a short time.
    gcTime: 0,
  });
}

/** The address ranges that a new cluster would get by itself. */
export function useRangeSuggestion(wanted: RangeWish, { keepsBefore = false }: Asking = {}) {
  const api = useApi();
  return useQuery({
    queryKey: keys.catalog.of('cidr_suggestion', wanted),
    queryFn: () => answered(api.GET('/api/catalog/cidr_suggestion', { params: { query: wanted } })),
    placeholderData: keepsBefore ? keepPreviousData : undefined,
  });
}

/** What a list of the catalog tells, and what AWS did not, which is no emptiness. */
export interface Told<Item> extends Listing<Item> {
  unknown: readonly Unknown[];
  /** Whether AWS answered of each page that was read. */
  isTold: boolean;
}

function toldOf<Page extends { unknown?: Unknown[] }, Item>(
  pages: Listing<Page>,
  items: (page: Page) => readonly Item[] | null,
): Told<Item> {
  return {
    ...pages,
    items: pages.items.flatMap((page) => items(page) ?? []),
    unknown: pages.items.flatMap(({ unknown }) => unknown ?? []),
    isTold: pages.items.every((page) => items(page) !== null),
  };
}

interface InstanceTypes {
  /** Null where a filter could not be judged. */
  types: InstanceTypeView[] | null;
  source: InstanceTypePage['source'];
  unknown: Unknown[];
}

async function allInstanceTypes(api: Api, filters: InstanceTypeFilters): Promise<InstanceTypes> {
  const pages: InstanceTypePage[] = [];
  let next_token: string | undefined;
  do {
    const query = { ...filters, limit: LARGEST_PAGE, next_token };
    const page = await answered(api.GET('/api/catalog/instance_types', { params: { query } }));
    pages.push(page);
    next_token = page.next_token ?? undefined;
  } while (next_token !== undefined);
  return {
    types: pages.some((page) => page.instance_types === null)
      ? null
      : pages.flatMap((page) => page.instance_types ?? []),
    source: pages[0]?.source ?? 'shipped',
    unknown: pages.flatMap((page) => page.unknown ?? []),
  };
}
