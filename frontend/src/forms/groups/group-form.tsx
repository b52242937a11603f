import Button from '@cloudscape-design/components/button';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { bound } from '../bound';
import { ChosenField, TextField } from '../fields';
import { Section } from '../section';
import type { CapacityType, GroupDraft } from './draft';
import { GroupCapacity } from './group-capacity';
import { below, DISKS, SETTINGS } from './group-fields';
import { GroupNetwork } from './group-network';
import { GroupNodes } from './group-nodes';
import { PlanField } from './plan-field';
import { TypeField } from './type-field';

export interface GroupProps {
  group: GroupDraft;
  /** Where the group stands in the request. */
  place: string;
  /** The zone of the cluster. */
  zone: string;
  onChange: (changed: Partial<GroupDraft>) => void;
}

export const CAPACITY_TYPES: readonly { value: CapacityType; label: string; description: string }[] = [
  { value: 'on_demand', label: 'On-demand', description: 'As long as it is wanted, at the listed price' },
  { value: 'spot', label: 'Spot', description: 'Cheaper, and taken back by AWS when it needs it' },
  { value: 'training_plan', label: 'Training plan', description: 'Capacity that was reserved before' },
];

interface Props extends GroupProps {
  onRemove?: () => void;
}

/** One instance group: what most people say of it at once, the rest below. */
export function GroupForm({ group, place, zone, onChange, onRemove }: Props) {
  const props = { group, place, zone: group.availability_zone || zone, onChange };
  const settings = Object.values(SETTINGS).flat();
  return (
    <Container
      header={
        <Header
          variant="h3"
          actions={
            onRemove && (
              <Button formAction="none" onClick={onRemove} ariaLabel={`Remove group ${group.name}`}>
                Remove
              </Button>
            )
          }
        >
          <span className="value">Group {group.name}</span>
        </Header>
      }
    >
      <SpaceBetween size="l">
        <GroupBasics {...props} />
        <Section title="More settings" fields={below(place, settings)}>
          <SpaceBetween size="l">
            <GroupCapacity {...props} />
            <GroupNetwork {...props} />
            <GroupNodes {...props} />
          </SpaceBetween>
        </Section>
      </SpaceBetween>
    </Container>
  );
}

function GroupBasics({ group, place, zone, onChange }: GroupProps) {
  const of = bound(group, onChange, place);
  return (
    <ColumnLayout columns={2}>
      <TypeField {...of('instance_type')} zone={zone} />
      <TextField {...of('instance_count')} label="Instances" type="number" />
      <TextField {...of('name')} label="Name" />
      <ChosenField<CapacityType>
        {...of('capacity_type')}
        label="Capacity"
        byDefault="on_demand"
        options={CAPACITY_TYPES}
      />
      {group.capacity_type === 'training_plan' && (
        <PlanField group={group} place={place} zone={zone} onChange={onChange} />
      )}
      <TextField
        {...of('disk_gib', DISKS.first)}
        label="Further disk of each instance (GiB)"
        optional
        type="number"
        placeholder="None: the root disk alone"
      />
    </ColumnLayout>
  );
}
