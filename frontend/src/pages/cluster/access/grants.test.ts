import { describe, expect, it } from 'vitest';
import type { AccessView } from '../../../api/schema';
import { grantedIn, namespacesOf, standing } from './grants';

const ENTRY: AccessView = {
  principal_arn: 'arn:aws:iam::1:role/x',
  kind: 'role',
  permission_set: null,
  type: 'STANDARD',
  made_by: 'people',
  as_granted: true,
  granted: [],
  kubernetes_groups: [],
};

describe('an access entry', () => {
  it('says where each permission holds, and names policies that are not granted here', () => {
    const granted = [
      {
        permission: 'edit',
        policy_arn: 'arn:aws:eks::aws:cluster-access-policy/AmazonEKSEditPolicy',
        namespaces: ['b', 'a'],
      },
      {
        permission: null,
        policy_arn: 'arn:aws:eks::aws:cluster-access-policy/AmazonEKSSecretReaderPolicy',
        namespaces: null,
      },
    ] satisfies AccessView['granted'];
    expect(grantedIn({ ...ENTRY, granted })).toEqual(['Edit in b, a', 'AmazonEKSSecretReaderPolicy everywhere']);
    expect(namespacesOf({ ...ENTRY, granted })).toEqual(['a', 'b']);
  });

  it('grants by groups, or nothing', () => {
    expect(grantedIn({ ...ENTRY, kubernetes_groups: ['system:nodes'] })).toEqual(['Groups system:nodes']);
    expect(grantedIn(ENTRY)).toEqual(['Nothing by itself']);
  });

  it('says that others changed it only where something was granted here', () => {
    expect([null, true, false].map((as_granted) => standing({ ...ENTRY, as_granted }))).toEqual([
      '-',
      'Yes',
      'No, changed elsewhere',
    ]);
  });
});
