import Alert, { type AlertProps } from '@cloudscape-design/components/alert';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';
import { worded } from '../api/problems';
import type { Finding } from '../api/schema';
import { WithRemedy } from './with-remedy';
import { sentence } from './words';

const TYPES: Readonly<Record<string, AlertProps.Type>> = { error: 'error', warning: 'warning', info: 'info' };

interface Props {
  findings: readonly Finding[];
  /** What a person can do about one of them here. */
  action?: (finding: Finding) => ReactNode;
}

/** What was noticed about a request, what is in the way first. */
export function Findings({ findings, action }: Props) {
  const order = ['error', 'warning'];
  const rank = ({ level }: Finding) => (order.includes(level) ? order.indexOf(level) : order.length);
  return (
    <SpaceBetween size="xs">
      {[...findings]
        .sort((a, b) => rank(a) - rank(b))
        .map((finding) => (
          <FindingAlert
            key={`${finding.check} ${finding.field} ${finding.message}`}
            finding={finding}
            action={action?.(finding)}
          />
        ))}
    </SpaceBetween>
  );
}

function FindingAlert({ finding, action }: { finding: Finding; action: ReactNode }) {
  const { level, check, field, resource, message, allowed, remedy } = finding;
  return (
    <Alert type={TYPES[level] ?? 'info'} header={sentence(check)} action={action}>
      <SpaceBetween size="xxs">
        <WithRemedy remedy={remedy}>
          {(field ?? resource) && <code>{field ?? resource}</code>} {worded({ field: '', message, allowed })}
        </WithRemedy>
      </SpaceBetween>
    </Alert>
  );
}
