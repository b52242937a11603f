import { describe, expect, it } from 'vitest';
import type { ClusterView } from '../../../api/schema';
import { commandsOf, quoted } from './commands';

function cluster(more: Partial<ClusterView['spec']['names']> = {}, conditions: ClusterView['conditions'] = []) {
  const names = { eks_cluster: 'eks-cluster-demo', hyperpod_cluster: 'hp-cluster-demo', ...more };
  return { tag: 'demo', spec: { region: 'eu-west-1', names }, conditions } as unknown as ClusterView;
}

const spoken = (view: ClusterView) => commandsOf(view).map(({ command }) => command);

describe('the commands of a cluster', () => {
  it('name the cluster and its region', () => {
    expect(spoken(cluster())[0]).toBe(
      'aws eks update-kubeconfig --name eks-cluster-demo --region eu-west-1 --alias demo',
    );
  });

  it('leave out what the cluster does not have', () => {
    expect(spoken(cluster()).filter((each) => /sagemaker|cloudformation|s3/.test(each))).toEqual([]);
    const removed = { type: 'HyperPodReady', status: 'False', reason: 'Removed' } as const;
    expect(spoken(cluster({}, [removed])).join()).not.toContain('sagemaker');
  });

  it('ask for the HyperPod cluster, the stack and the bucket where there are any', () => {
    const ready = { type: 'HyperPodReady', status: 'True', reason: 'Stands' } as const;
    const all = spoken(cluster({ stack: 'instantstart-demo', bucket: 'sagemaker-demo' }, [ready])).join('\n');
    expect(all).toContain('aws sagemaker describe-cluster --cluster-name hp-cluster-demo --region eu-west-1');
    expect(all).toContain('--stack-name instantstart-demo');
    expect(all).toContain('aws s3 ls s3://sagemaker-demo/');
  });
});

it('quotes what a shell would take apart', () => {
  expect(quoted('plain-name_1')).toBe('plain-name_1');
  expect(quoted("a b'c; rm")).toBe(`'a b'\\''c; rm'`);
});
