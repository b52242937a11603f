import ExpandableSection from '@cloudscape-design/components/expandable-section';
import type { Fact } from '../../../api/schema';
import { Time } from '../../../components/time';
import { Remedy } from '../../../components/with-remedy';
import type { Check } from './checks-table';

/** What a check found, with its evidence and what helps. */
export function FoundOut({ check }: { check: Check }) {
  const { message, resource, remedy, evidence = [], more_evidence = 0, runbook } = check;
  return (
    <>
      <div className="value">{message}</div>
      {resource && <code className="value">{resource}</code>}
      <Remedy remedy={remedy} />
      {evidence.length > 0 && (
        <ExpandableSection variant="inline" headerText="Evidence">
          <ul>
            {evidence.map((fact) => (
              <li key={`${fact.name} ${fact.at} ${fact.value}`} className="value">
                <FactLine fact={fact} />
              </li>
            ))}
            {more_evidence > 0 && <li>and {more_evidence} more</li>}
          </ul>
          <div className="value">Runbook: {runbook}</div>
        </ExpandableSection>
      )}
    </>
  );
}

function FactLine({ fact: { name, value, at } }: { fact: Fact }) {
  return (
    <>
      {name}: {String(value)} {at && <Time at={at} />}
    </>
  );
}
