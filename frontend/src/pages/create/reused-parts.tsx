import ColumnLayout from '@cloudscape-design/components/column-layout';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { bound } from '../../forms/bound';
import { CheckboxField, TextField } from '../../forms/fields';
import type { FoundationProps } from './foundation-form';

type Part = 'vpc_id' | 'control_plane_subnet_ids' | 'public_subnet_ids' | 'security_group_id';
type Role = 'control_plane_role_arn' | 'execution_role_arn' | 's3_csi_role_arn' | 'bucket';

interface Named<Name> {
  part: Name;
  label: string;
  placeholder: string;
  description?: string;
}

const NETWORK: readonly Named<Part>[] = [
  { part: 'vpc_id', label: 'VPC to build in', placeholder: 'vpc-…' },
  {
    part: 'control_plane_subnet_ids',
    label: 'Subnets of the control plane',
    placeholder: 'subnet-…, subnet-…',
    description: 'Two of that VPC, in two zones.',
  },
  {
    part: 'public_subnet_ids',
    label: 'Subnets for public load balancers',
    placeholder: 'subnet-…',
    description: 'Of that VPC, parted by commas.',
  },
  { part: 'security_group_id', label: 'Security group', placeholder: 'sg-…', description: 'Of that VPC.' },
];

const ROLES: readonly Named<Role>[] = [
  { part: 'control_plane_role_arn', label: 'Role that EKS runs with', placeholder: 'arn:aws:iam::…:role/…' },
  { part: 'execution_role_arn', label: 'Role that the instances run with', placeholder: 'arn:aws:iam::…:role/…' },
  { part: 's3_csi_role_arn', label: 'Role that mounts the bucket', placeholder: 'arn:aws:iam::…:role/…' },
  { part: 'bucket', label: 'Bucket', placeholder: 'sagemaker-…' },
];

/** Parts of a network that exist already; they are used as they are, and stay when the cluster is deleted. */
export function ReusedNetwork({ draft, onChange }: FoundationProps) {
  return (
    <SpaceBetween size="m">
      <Header variant="h3" description="Used as it is instead of a new one, and never deleted with the cluster.">
        A network that exists
      </Header>
      <Parts parts={NETWORK} draft={draft} onChange={onChange} />
      <CheckboxField
        {...bound(draft, onChange, 'foundation')('tag_subnets')}
        label="Tags for load balancers"
        optional
        words="Give these subnets the tags by which load balancers find them, where they lack them"
      />
    </SpaceBetween>
  );
}

/** Roles and a bucket that exist already. */
export function ReusedRoles({ draft, onChange }: FoundationProps) {
  return (
    <SpaceBetween size="m">
      <Header variant="h3" description="Used as they are instead of new ones, and never deleted with the cluster.">
        Roles and a bucket that exist
      </Header>
      <Parts parts={ROLES} draft={draft} onChange={onChange} />
    </SpaceBetween>
  );
}

function Parts({ parts, draft, onChange }: FoundationProps & { parts: readonly Named<Part | Role>[] }) {
  const of = bound(draft, onChange, 'foundation');
  return (
    <ColumnLayout columns={2}>
      {parts.map(({ part, ...words }) => (
        <TextField key={part} {...words} {...of(part)} optional />
      ))}
    </ColumnLayout>
  );
}
