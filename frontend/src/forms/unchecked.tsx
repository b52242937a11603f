import Alert from '@cloudscape-design/components/alert';
import type { Finding } from '../api/schema';
import { sentence } from '../components/words';
import { whyUnchecked } from './complaints';

/** The checks that did not come to an end; they are made again before anything else. */
export function Unchecked({ findings }: { findings: readonly Finding[] }) {
  return (
    <Alert type="warning" header="Not checked">
      These checks did not come to an end. They are made again as the first stage, before anything is made.
      <ul>
        {findings.map((finding) => (
          <li key={`${finding.check} ${finding.message}`} className="value">
            <strong>{sentence(finding.check)}:</strong> {whyUnchecked(finding)}
          </li>
        ))}
      </ul>
    </Alert>
  );
}
