import { type HyperPodDraft, newHyperPod } from '../../forms/groups/hyperpod-draft';
import type { Pair } from '../../forms/sending';

/** A foundation as it is typed; what is undefined was not touched. */
export interface FoundationDraft {
  kubernetes_version?: string;
  control_plane_availability_zones?: string;
  vpc_cidr?: string;
  public_subnet_cidrs?: string;
  control_plane_subnet_cidrs?: string;
  compute_cidr?: string;
  vpc_id?: string;
  control_plane_subnet_ids?: string;
  public_subnet_ids?: string;
  security_group_id?: string;
  tag_subnets?: boolean;
  control_plane_role_arn?: string;
  execution_role_arn?: string;
  s3_csi_role_arn?: string;
  bucket?: string;
  public_access_cidrs?: string;
}

export interface StorageDraft {
  mounted: boolean;
  name?: string;
  namespace?: string;
}

/** A cluster as it is typed. What belongs to a HyperPod cluster stays typed when the foundation alone is asked for. */
export interface ClusterDraft {
  tag?: string;
  foundationOnly: boolean;
  hyperpod: HyperPodDraft;
  storage: StorageDraft;
  foundation: FoundationDraft;
  owner_groups?: string;
  company_tags?: readonly Pair[];
}

export function newCluster(): ClusterDraft {
  return { foundationOnly: false, hyperpod: newHyperPod(), storage: { mounted: true }, foundation: {} };
}
