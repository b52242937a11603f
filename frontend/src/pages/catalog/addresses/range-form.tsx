import Button from '@cloudscape-design/components/button';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import Form from '@cloudscape-design/components/form';
import { useState } from 'react';
import type { RangeWish } from '../../../api/catalog';
import type { ProblemBody } from '../../../api/schema';
import { ServerFieldErrors } from '../../../components/server-field-errors';
import { bound } from '../../../forms/bound';
import { TextField } from '../../../forms/fields';
import { number, sent, touched } from '../../../forms/sending';

interface Props {
  fields: readonly string[];
  problem: ProblemBody | undefined;
  busy: boolean;
  onAsk: (wanted: RangeWish) => void;
}

/** For what a range is wanted; what was left out takes the API's own. */
export function RangeForm({ fields, problem, busy, onAsk }: Props) {
  const [typed, setTyped] = useState({ prefix: '', exclude: '', cluster_tag: '' });
  const of = bound(typed, (changed) => setTyped((before) => ({ ...before, ...changed })));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onAsk(wishOf(typed));
      }}
    >
      <Form
        actions={
          <Button formAction="submit" loading={busy}>
            Suggest
          </Button>
        }
      >
        <ServerFieldErrors fields={fields} problem={problem}>
          <ColumnLayout columns={3}>
            <TextField
              {...of('prefix')}
              label="Size of the VPC"
              description="The number behind the slash."
              type="number"
            />
            <TextField
              {...of('exclude')}
              label="Keep clear of"
              description="Ranges of your own, parted by commas."
              placeholder="10.8.0.0/16, 192.168.0.0/24"
            />
            <TextField
              {...of('cluster_tag')}
              label="For the cluster"
              description="A new cluster of this tag gets this range by itself."
            />
          </ColumnLayout>
        </ServerFieldErrors>
      </Form>
    </form>
  );
}

interface Typed {
  prefix: string;
  exclude: string;
  cluster_tag: string;
}

function wishOf({ prefix, exclude, cluster_tag }: Typed): RangeWish {
  return touched<RangeWish>({ prefix: number(prefix), exclude: sent(exclude), cluster_tag: sent(cluster_tag) }) ?? {};
}
