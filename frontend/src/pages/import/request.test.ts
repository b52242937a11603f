import { expect, test } from 'vitest';
import { importRequest, newImport } from './request';

test('an import of which nothing else was touched is the name of the EKS cluster', () => {
  expect(importRequest({ ...newImport(), eks_cluster_name: ' research ', tag: '' })).toEqual({
    eks_cluster_name: 'research',
  });
});

test('consents are sent as they were given and taken back', () => {
  const draft = { ...newImport(), eks_cluster_name: 'research' };
  expect(importRequest({ ...draft, consents: { create_access_entry: true, tag_subnets: false } }).consents).toEqual({
    create_access_entry: true,
    tag_subnets: false,
  });
});
