import ColumnLayout from '@cloudscape-design/components/column-layout';
import { bound } from '../bound';
import { ChosenField, TextField } from '../fields';
import type { GroupDraft, SubnetChoice } from './draft';
import { typesOf } from './draft';
import type { GroupProps } from './group-form';
import { ZoneField } from './zone-field';

const SUBNETS: readonly { value: SubnetChoice; label: string; description: string }[] = [
  { value: 'zone', label: "The zone's", description: 'Shared with the other groups of the zone' },
  {
    value: 'dedicated',
    label: 'A dedicated one',
    description: 'Of the group alone, and kept for a successor of its name',
  },
  { value: 'given', label: 'One that exists', description: "Of the cluster's VPC; it is never changed" },
];

type Interface = NonNullable<GroupDraft['network_interface']>;

const INTERFACES: readonly { value: Interface; label: string; description?: string }[] = [
  { value: '', label: "HyperPod's choice" },
  { value: 'efa', label: 'EFA' },
  { value: 'efa_only', label: 'EFA only', description: "Interfaces without addresses, which spares the subnet's" },
];

/** Where the nodes of a group get their addresses. */
export function GroupNetwork({ group, place, zone, onChange }: GroupProps) {
  const of = bound(group, onChange, place);
  return (
    <ColumnLayout columns={2}>
      <ZoneField
        {...of('availability_zone')}
        label="Availability zone of this group"
        optional
        placeholder={zone || "The cluster's"}
        types={typesOf(group)}
      />
      <ChosenField<SubnetChoice>
        {...of('subnet', 'dedicated_subnet')}
        label="Subnet"
        byDefault="zone"
        options={SUBNETS}
      />
      {group.subnet === 'given' && <TextField {...of('subnet_id')} label="Subnet id" placeholder="subnet-…" />}
      {group.subnet === 'dedicated' && (
        <TextField
          {...of('subnet_prefix')}
          label="Prefix length of the dedicated subnet"
          optional
          type="number"
          placeholder="As large as the group needs"
        />
      )}
      <ChosenField<Interface>
        {...of('network_interface')}
        label="Network interface"
        optional
        byDefault=""
        options={INTERFACES}
      />
      <TextField
        {...of('security_group_ids')}
        label="Security groups"
        optional
        placeholder="The cluster's, or sg-…, sg-…"
      />
    </ColumnLayout>
  );
}
