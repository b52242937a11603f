import AttributeEditor from '@cloudscape-design/components/attribute-editor';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useServerErrors } from '../../components/server-field-errors';
import { bound } from '../bound';
import { Field, useJudged } from '../field';
import { TextField } from '../fields';
import { placeOf } from '../reveal';
import type { DiskDraft } from './draft';
import { DISKS } from './group-fields';
import type { GroupProps } from './group-form';

/** Disks beside the first further one, and the key of the root disk; what the server says of them stands there. */
export function DisksField({ group, place: at, onChange }: Omit<GroupProps, 'zone'>) {
  const of = bound(group, onChange, at);
  const disks = group.further_disks ?? [];
  const wrong = useWrong(at, disks);
  const change = (place: number, changed: Partial<DiskDraft>) =>
    onChange({ further_disks: disks.map((disk, index) => (index === place ? { ...disk, ...changed } : disk)) });
  const size = (disk: DiskDraft, place: number) => (
    <div id={placeOf(`${at}.${DISKS.further(disk.id)}`)}>
      <Input
        type="number"
        value={disk.size_gib}
        ariaLabel={`Size of disk ${place + 2} in GiB`}
        onChange={({ detail }) => change(place, { size_gib: detail.value })}
      />
    </div>
  );
  const key = (disk: DiskDraft, place: number) => (
    <Input
      value={disk.kms_key_id}
      ariaLabel={`KMS key of disk ${place + 2}`}
      onChange={({ detail }) => change(place, { kms_key_id: detail.value })}
    />
  );
  return (
    <SpaceBetween size="l">
      <Field field={`${at}.volumes`} label="More disks" optional stretch value={group.further_disks}>
        <AttributeEditor
          items={disks}
          addButtonText="Add disk"
          removeButtonText="Remove"
          removeButtonAriaLabel={(disk) => `Remove disk ${disks.indexOf(disk) + 2}`}
          empty="No disk beside the one above."
          definition={[
            { label: 'Size (GiB)', control: size, errorText: wrong },
            { label: 'KMS key', control: key },
          ]}
          onAddButtonClick={() => onChange({ further_disks: [...disks, newDisk(disks)] })}
          onRemoveButtonClick={({ detail }) =>
            onChange({ further_disks: disks.filter((_, index) => index !== detail.itemIndex) })
          }
        />
      </Field>
      <TextField {...of('root_kms_key_id', DISKS.root)} label="KMS key of the root disk" optional />
    </SpaceBetween>
  );
}

/** What the server says of a row, as long as it is as it was judged. */
function useWrong(at: string, disks: readonly DiskDraft[]): (disk: DiskDraft) => string | undefined {
  const told = useServerErrors();
  const judged = useJudged(told, disks);
  return (disk) => (judged.includes(disk) ? told[`${at}.${DISKS.further(disk.id)}`] : undefined);
}

function newDisk(others: readonly DiskDraft[]): DiskDraft {
  return { id: Math.max(0, ...others.map(({ id }) => id)) + 1, size_gib: '', kms_key_id: '' };
}
