import ColumnLayout from '@cloudscape-design/components/column-layout';
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
  return (
    <ColumnLayout columns={2}>
      <ZoneField
        field={`${place}.availability_zone`}
        label="Availability zone of this group"
        optional
        placeholder={zone || "The cluster's"}
        types={typesOf(group)}
        value={group.availability_zone}
        onChange={(availability_zone) => onChange({ availability_zone })}
      />
      <ChosenField<SubnetChoice>
        field={`${place}.dedicated_subnet`}
        label="Subnet"
        value={group.subnet}
        byDefault="zone"
        options={SUBNETS}
        onChange={(subnet) => onChange({ subnet })}
      />
      {group.subnet === 'given' && (
        <TextField
          field={`${place}.subnet_id`}
          label="Subnet id"
          placeholder="subnet-…"
          value={group.subnet_id}
          onChange={(subnet_id) => onChange({ subnet_id })}
        />
      )}
      {group.subnet === 'dedicated' && (
        <TextField
          field={`${place}.subnet_prefix`}
          label="Prefix length of the dedicated subnet"
          optional
          type="number"
          placeholder="As large as the group needs"
          value={group.subnet_prefix}
          onChange={(subnet_prefix) => onChange({ subnet_prefix })}
        />
      )}
      <ChosenField<Interface>
        field={`${place}.network_interface`}
        label="Network interface"
        optional
        value={group.network_interface}
        byDefault=""
        options={INTERFACES}
        onChange={(network_interface) => onChange({ network_interface })}
      />
      <TextField
        field={`${place}.security_group_ids`}
        label="Security groups"
        optional
        placeholder="The cluster's, or sg-…, sg-…"
        value={group.security_group_ids}
        onChange={(security_group_ids) => onChange({ security_group_ids })}
      />
    </ColumnLayout>
  );
}
