import { useState } from 'react';
import { wish } from '../../../api/wishes';
import { ChangeModal } from '../change/change-modal';
import { type Conflicts, ConflictsField } from '../changes/conflicts-field';

/** Installs the add-ons of a cluster. */
export function ConfigureForm({ tag, onDismiss }: { tag: string; onDismiss: () => void }) {
  const [touched, setTouched] = useState<{ addon_conflicts?: Conflicts }>({});
  return (
    <ChangeModal
      title="Configure the dependencies"
      action="Configure"
      auto
      wanted={wish('post', '/api/clusters/{tag}/dependencies', { path: { tag }, body: touched })}
      fields={['addon_conflicts']}
      onDismiss={onDismiss}
    >
      <ConflictsField value={touched.addon_conflicts} onChange={(addon_conflicts) => setTouched({ addon_conflicts })} />
    </ChangeModal>
  );
}
