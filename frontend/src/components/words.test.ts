import { expect, it } from 'vitest';
import { sentence } from './words';

it('writes names of the API as people do, with the names of products as their makers do', () => {
  expect(['create_cluster', 'HyperPodReady', 'delete_hyperpod', 'addons', 'FAILED'].map(sentence)).toEqual([
    'Create cluster',
    'HyperPod ready',
    'Delete HyperPod',
    'Add-ons',
    'Failed',
  ]);
});
