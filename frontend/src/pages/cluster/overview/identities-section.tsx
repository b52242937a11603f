import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import { CopyableValue } from '../../../components/copyable-value';
import type { ClusterProps } from '../tab-list';
import { hasHyperPod } from './facts';

/** By which names and ids AWS and Kubernetes know a cluster. */
export function Identities({ cluster }: ClusterProps) {
  const { names, account_id, surroundings } = cluster.spec;
  return (
    <Container header={<Header>Names and ids</Header>}>
      <KeyValuePairs
        columns={3}
        items={[
          named('EKS cluster', names.eks_cluster),
          named('HyperPod cluster', hasHyperPod(cluster) ? names.hyperpod_cluster : null),
          named('Bucket', names.bucket),
          named('CloudFormation stack', names.stack),
          named('Account', account_id),
          named('Execution role', surroundings?.execution_role_arn ?? names.execution_role),
          named('EKS cluster ARN', surroundings?.eks_arn ?? cluster.detected?.eks.arn),
          named('HyperPod cluster ARN', cluster.detected?.hyperpod?.arn),
          named('VPC', surroundings?.vpc_id ?? cluster.spec.reused?.vpc_id),
          named('Security group', surroundings?.security_group_id ?? cluster.spec.reused?.security_group_id),
        ].filter(({ known }) => known)}
      />
    </Container>
  );
}

function named(label: string, value: string | null | undefined) {
  return { label, value: <CopyableValue value={value ?? ''} label={`Copy: ${label}`} />, known: Boolean(value) };
}
