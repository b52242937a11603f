import type { ClusterView } from '../../../api/schema';
import { hasHyperPod } from './facts';

export interface Command {
  label: string;
  command: string;
}

/** Commands for a terminal that show a cluster from outside. */
export function commandsOf(cluster: ClusterView): Command[] {
  const { tag, spec } = cluster;
  const { names } = spec;
  const region = `--region ${quoted(spec.region)}`;
  const eks = quoted(names.eks_cluster);
  const hyperpod = quoted(names.hyperpod_cluster);
  return [
    { label: 'Let kubectl in', command: `aws eks update-kubeconfig --name ${eks} ${region} --alias ${quoted(tag)}` },
    { label: 'Show the nodes', command: `kubectl --context ${quoted(tag)} get nodes -o wide` },
    { label: 'Show the pods', command: `kubectl --context ${quoted(tag)} get pods --all-namespaces` },
    { label: 'Describe the EKS cluster', command: `aws eks describe-cluster --name ${eks} ${region}` },
    ...(hasHyperPod(cluster)
      ? [
          {
            label: 'Describe the HyperPod cluster',
            command: `aws sagemaker describe-cluster --cluster-name ${hyperpod} ${region}`,
          },
          {
            label: 'List the HyperPod nodes',
            command: `aws sagemaker list-cluster-nodes --cluster-name ${hyperpod} ${region}`,
          },
        ]
      : []),
    ...(names.stack
      ? [
          {
            label: 'Show what the stack made',
            command: `aws cloudformation describe-stack-resources --stack-name ${quoted(names.stack)} ${region}`,
          },
        ]
      : []),
    ...(names.bucket ? [{ label: 'List the bucket', command: `aws s3 ls ${quoted(`s3://${names.bucket}/`)}` }] : []),
  ];
}

/** A word of a command as a shell takes it. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
