import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import type { Rollout } from '../../../api/schema';
import type { Touched } from '../../../api/wishes';
import { useServerError } from '../../../components/server-field-errors';
import { Field } from '../../../forms/field';
import { type RolloutTexts, rolloutOf, UNTOUCHED } from './rollout';

/** How nodes are updated: how many at a time, how long between two batches, and what takes an update back. */
export function RolloutFields({ onChange }: { onChange: (rollout: Touched<Rollout> | undefined) => void }) {
  const [texts, setTexts] = useState(UNTOUCHED);
  const type = (typed: Partial<RolloutTexts>) => setTexts((known) => ({ ...known, ...typed }));
  const take = (taken: Partial<RolloutTexts> = {}) => onChange(rolloutOf({ ...texts, ...taken }));
  const batch = useServerError(`rollout.${texts.of}`);
  const whole = useServerError('rollout');
  return (
    <SpaceBetween size="m">
      <FormField label="Nodes of a group at a time" errorText={batch ?? whole}>
        <SpaceBetween direction="horizontal" size="xs">
          <Input
            ariaLabel="How many at a time"
            value={texts.size}
            type="number"
            inputMode="numeric"
            onChange={({ detail }) => type({ size: detail.value })}
            onBlur={() => take()}
          />
          <SegmentedControl
            label="Counted as"
            selectedId={texts.of}
            onChange={({ detail }) => {
              const of = detail.selectedId as RolloutTexts['of'];
              type({ of });
              take({ of });
            }}
            options={[
              { id: 'batch_percentage', text: 'Percent' },
              { id: 'batch_size', text: 'Nodes' },
            ]}
          />
        </SpaceBetween>
      </FormField>
      <Field field="rollout.wait_seconds" label="Seconds between two batches">
        <Input
          value={texts.wait}
          type="number"
          inputMode="numeric"
          onChange={({ detail }) => type({ wait: detail.value })}
          onBlur={() => take()}
        />
      </Field>
      <Field
        field="rollout.alarms"
        label="CloudWatch alarms"
        description="While one of them is in alarm after a batch, HyperPod takes the group's update back."
        constraint="Names, parted by commas."
      >
        <Input
          value={texts.alarms}
          spellcheck={false}
          onChange={({ detail }) => type({ alarms: detail.value })}
          onBlur={() => take()}
        />
      </Field>
    </SpaceBetween>
  );
}
