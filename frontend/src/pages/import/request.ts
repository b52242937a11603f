import type { Consents, ImportCluster } from '../../api/schema';
import type { Touched } from '../../api/wishes';
import type { OwnershipDraft } from '../../forms/ownership';
import { listed, named, sent, touched } from '../../forms/sending';

/** An import as it is typed; what is undefined was not touched. */
export interface ImportDraft extends OwnershipDraft {
  eks_cluster_name: string;
  tag?: string;
  hyperpod_cluster_name?: string;
  execution_role_arn?: string;
  bucket?: string;
  consents: Partial<Consents>;
}

export type Consent = keyof Consents;

export function newImport(): ImportDraft {
  return { eks_cluster_name: '', consents: {} };
}

/** An import as it is sent. */
export function importRequest(draft: ImportDraft): Touched<ImportCluster> {
  return (
    touched<Touched<ImportCluster>>({
      eks_cluster_name: sent(draft.eks_cluster_name),
      tag: sent(draft.tag),
      hyperpod_cluster_name: sent(draft.hyperpod_cluster_name),
      execution_role_arn: sent(draft.execution_role_arn),
      bucket: sent(draft.bucket),
      consents: touched(draft.consents),
      owner_groups: listed(draft.owner_groups),
      company_tags: named(draft.company_tags),
    }) ?? {}
  );
}

const DETAILS = ['hyperpod_cluster_name', 'execution_role_arn', 'bucket'];
const CONSENTS: readonly Consent[] = ['create_access_entry', 'move_authentication_mode', 'tag_subnets'];

/** The fields that the form shows, by the API's names and where they stand. */
export const FIELDS = {
  all: [
    'eks_cluster_name',
    'tag',
    ...CONSENTS.map((consent) => `consents.${consent}`),
    'consents',
    ...DETAILS,
    'owner_groups',
    'company_tags',
  ],
  details: DETAILS,
} as const;
