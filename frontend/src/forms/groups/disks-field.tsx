import AttributeEditor from '@cloudscape-design/components/attribute-editor';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { DiskDraft } from './draft';
import type { GroupProps } from './group-form';

/** Disks beside the first further one, and the key of the root disk; what the server says of them stands there. */
export function DisksField({ group, onChange }: Omit<GroupProps, 'zone'>) {
  const disks = group.further_disks ?? [];
  const change = (place: number, changed: Partial<DiskDraft>) =>
    onChange({ further_disks: disks.map((disk, index) => (index === place ? { ...disk, ...changed } : disk)) });
  const size = (disk: DiskDraft, place: number) => (
    <Input
      type="number"
      value={disk.size_gib}
      ariaLabel={`Size of disk ${place + 2} in GiB`}
      onChange={({ detail }) => change(place, { size_gib: detail.value })}
    />
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
      <FormField
        label={
          <>
            More disks <i>- optional</i>
          </>
        }
        stretch
      >
        <AttributeEditor
          items={disks}
          addButtonText="Add disk"
          removeButtonText="Remove"
          removeButtonAriaLabel={() => 'Remove disk'}
          empty="No disk beside the one above."
          definition={[
            { label: 'Size (GiB)', control: size },
            { label: 'KMS key', control: key },
          ]}
          onAddButtonClick={() => onChange({ further_disks: [...disks, { size_gib: '', kms_key_id: '' }] })}
          onRemoveButtonClick={({ detail }) =>
            onChange({ further_disks: disks.filter((_, index) => index !== detail.itemIndex) })
          }
        />
      </FormField>
      <FormField
        label={
          <>
            KMS key of the root disk <i>- optional</i>
          </>
        }
      >
        <Input
          value={group.root_kms_key_id ?? ''}
          spellcheck={false}
          onChange={({ detail }) => onChange({ root_kms_key_id: detail.value })}
        />
      </FormField>
    </SpaceBetween>
  );
}
