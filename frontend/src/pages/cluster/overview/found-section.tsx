import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { Detected } from '../../../api/schema';
import { Findings } from '../../../components/findings';
import { Time } from '../../../components/time';
import { ComponentsTable } from './components-table';

/** What was found of an imported cluster. */
export function FoundSection({ detected }: { detected: Detected }) {
  const { eks, hyperpod, reach, changes, unknown, findings } = detected;
  return (
    <SpaceBetween size="l">
      <Container
        header={
          <Header
            description={
              <>
                Detected <Time at={detected.detected_at} as="relative" />
              </>
            }
          >
            Found in AWS
          </Header>
        }
      >
        <SpaceBetween size="l">
          <KeyValuePairs
            columns={3}
            items={[
              { label: 'Kubernetes version', value: eks.version },
              { label: 'EKS cluster', value: eks.status },
              { label: 'Authentication mode', value: eks.authentication_mode },
              { label: 'Endpoint', value: endpointOf(eks) },
              { label: 'Service addresses', value: eks.service_cidr },
              { label: 'VPC', value: <span className="value">{eks.vpc_id}</span> },
              { label: 'HyperPod cluster', value: hyperpod ? `${hyperpod.name}, ${hyperpod.status}` : 'None' },
              { label: 'Kubernetes API', value: <span className="value">{reach.message}</span> },
            ]}
          />
          <Said title="Changed since it was looked at before" lines={changes ?? []} />
          <Said title="Could not be looked at" lines={unknown.map(({ what, reason }) => `${what}: ${reason}`)} />
          {findings.length > 0 && <Findings findings={findings} />}
        </SpaceBetween>
      </Container>
      <ComponentsTable components={detected.components} />
    </SpaceBetween>
  );
}

function endpointOf({ public_endpoint, private_endpoint, public_cidrs }: Detected['eks']): string {
  const doors = [public_endpoint && `public to ${public_cidrs.join(', ')}`, private_endpoint && 'private'];
  return doors.filter(Boolean).join('; ') || 'closed';
}

const FEW = 20;

function Said({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) {
    return null;
  }
  return (
    <div>
      <strong>{title}</strong>
      <ul>
        {lines.slice(0, FEW).map((line) => (
          <li key={line} className="value">
            {line}
          </li>
        ))}
        {lines.length > FEW && <li>and {lines.length - FEW} more</li>}
      </ul>
    </div>
  );
}
