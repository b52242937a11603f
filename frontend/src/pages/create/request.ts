import type { CreateCluster, Foundation, S3Mount } from '../../api/schema';
import type { Touched } from '../../api/wishes';
import { below, hyperPodFields } from '../../forms/groups/group-fields';
import { hyperPodRequest } from '../../forms/groups/hyperpod-draft';
import { listed, named, sent, touched } from '../../forms/sending';
import type { ClusterDraft, FoundationDraft, StorageDraft } from './draft';

/** A cluster as it is sent: what was not touched is left out, and takes the API's default. */
export function clusterRequest(draft: ClusterDraft): Touched<CreateCluster> {
  return (
    touched<Touched<CreateCluster>>({
      tag: sent(draft.tag),
      hyperpod: draft.foundationOnly ? undefined : hyperPodRequest(draft.hyperpod),
      storage: draft.foundationOnly ? undefined : storageRequest(draft.storage),
      foundation: foundationRequest(draft.foundation),
      owner_groups: listed(draft.owner_groups),
      company_tags: named(draft.company_tags),
    }) ?? {}
  );
}

/** The mount: left out it has its default name, null means that there is none. */
function storageRequest({ mounted, name, namespace }: StorageDraft): Touched<S3Mount> | null | undefined {
  return mounted ? touched<Touched<S3Mount>>({ name: sent(name), namespace: sent(namespace) }) : null;
}

function foundationRequest(draft: FoundationDraft): Touched<Foundation> | undefined {
  return touched<Touched<Foundation>>({
    kubernetes_version: sent(draft.kubernetes_version),
    control_plane_availability_zones: listed(draft.control_plane_availability_zones),
    vpc_cidr: sent(draft.vpc_cidr),
    public_subnet_cidrs: listed(draft.public_subnet_cidrs),
    control_plane_subnet_cidrs: listed(draft.control_plane_subnet_cidrs),
    compute_cidr: sent(draft.compute_cidr),
    vpc_id: sent(draft.vpc_id),
    control_plane_subnet_ids: listed(draft.control_plane_subnet_ids),
    public_subnet_ids: listed(draft.public_subnet_ids),
    security_group_id: sent(draft.security_group_id),
    tag_subnets: draft.tag_subnets,
    control_plane_role_arn: sent(draft.control_plane_role_arn),
    execution_role_arn: sent(draft.execution_role_arn),
    s3_csi_role_arn: sent(draft.s3_csi_role_arn),
    bucket: sent(draft.bucket),
    public_access_cidrs: listed(draft.public_access_cidrs),
  });
}

/** The fields of a foundation by the section of the form in which they stand. */
export const FOUNDATION = {
  'control plane': ['kubernetes_version', 'control_plane_availability_zones', 'public_access_cidrs'],
  ranges: ['vpc_cidr', 'public_subnet_cidrs', 'control_plane_subnet_cidrs', 'compute_cidr'],
  network: ['vpc_id', 'control_plane_subnet_ids', 'public_subnet_ids', 'security_group_id', 'tag_subnets'],
  'roles and bucket': ['control_plane_role_arn', 'execution_role_arn', 's3_csi_role_arn', 'bucket'],
} as const;

export const FOUNDATION_FIELDS = below('foundation', Object.values(FOUNDATION).flat());
export const STORAGE_FIELDS = below('storage', ['name', 'namespace']);
export const OWNER_FIELDS = ['owner_groups', 'company_tags'];

/** All fields that the form shows, by the API's names. */
export function clusterFields({ foundationOnly, hyperpod }: ClusterDraft): string[] {
  const ofHyperPod = [...hyperPodFields('hyperpod', hyperpod), ...STORAGE_FIELDS, 'storage'];
  return ['tag', ...(foundationOnly ? [] : ofHyperPod), ...FOUNDATION_FIELDS, ...OWNER_FIELDS];
}
