import Alert from '@cloudscape-design/components/alert';
import type { Change, Preview } from '../api/schema';
import { type Difference, differences } from './differences';
import { perHour } from './money';
import { sentence } from './words';

interface Props {
  before: Preview;
  after: Preview;
}

/** As many as people still read: a fleet may lose a thousand disks. */
const FEW = 20;
const WORDS: Readonly<Record<Difference['kind'], string>> = { new: 'New', gone: 'No more', other: 'Other than before' };

/** What would happen now and would not have happened when it was previewed. */
export function Outdated({ before, after }: Props) {
  const found = differences(before, after);
  return (
    <Alert type="warning" header="The preview was out of date, so nothing was begun">
      {found.length === 0
        ? 'The changes are the same; what they were decided by has changed. Look again, and confirm.'
        : 'Below is what would happen now. It differs in this:'}
      <ul>
        {found.slice(0, FEW).map(({ kind, change, before: was }) => (
          <li key={JSON.stringify([kind, change])} className="value">
            <strong>{WORDS[kind]}:</strong> {said(change)}
            {was && ` (before: ${said(was)})`}
          </li>
        ))}
        {found.length > FEW && <li>and {found.length - FEW} more</li>}
        {before.cost && after.cost && before.cost.per_hour !== after.cost.per_hour && (
          <li>
            <strong>Cost:</strong> {perHour(after.cost)} (before: {perHour(before.cost)})
          </li>
        )}
      </ul>
    </Alert>
  );
}

function said({ action, resource, name, reason, irreversible }: Change): string {
  return `${sentence(action)} ${resource} ${name}: ${reason}${irreversible ? ', which cannot be undone' : ''}`;
}
