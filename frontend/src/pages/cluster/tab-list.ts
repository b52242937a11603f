import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import type { ClusterView } from '../../api/schema';

/** What every tab and every page of a change gets. */
export interface ClusterProps {
  cluster: ClusterView;
}

export interface Tab {
  id: string;
  label: string;
  Content: LazyExoticComponent<ComponentType<ClusterProps>>;
}

const tab = (id: string, label: string, read: () => Promise<{ default: ComponentType<ClusterProps> }>): Tab => ({
  id,
  label,
  Content: lazy(read),
});

/** The tabs of a cluster; each is loaded when somebody goes there. */
export const TABS: readonly Tab[] = [
  tab('overview', 'Overview', () => import('./overview/overview-tab')),
  tab('instance-groups', 'Instance groups', () => import('./groups/groups-tab')),
  tab('nodes', 'Nodes', () => import('./nodes/nodes-tab')),
  tab('dependencies', 'Dependencies', () => import('./dependencies/dependencies-tab')),
  tab('storage', 'Storage', () => import('./storage/storage-tab')),
  tab('events', 'Events', () => import('./events/events-tab')),
  tab('operations', 'Operations', () => import('./operations/operations-tab')),
  tab('access', 'Access', () => import('./access/access-tab')),
  tab('drift', 'Drift', () => import('./drift/drift-tab')),
  tab('diagnosis', 'Diagnosis', () => import('./diagnosis/diagnosis-tab')),
];

/** The pages on which a whole cluster is changed, with what they are called in their breadcrumbs. */
export const CHANGES: readonly Tab[] = [
  tab('delete', 'Delete', () => import('./changes/delete-change')),
  tab('delete-hyperpod', 'Delete the HyperPod cluster of', () => import('./changes/delete-hyperpod-change')),
  tab('upgrade', 'Upgrade', () => import('./changes/upgrade-change')),
  tab('repair', 'Repair', () => import('./changes/repair-change')),
  tab('forget', 'Forget', () => import('./changes/forget-change')),
  tab('redetect', 'Redetect', () => import('./changes/redetect-change')),
];

/** The page, of its own, that creates the HyperPod cluster of a foundation, as `addressOf` leads to it. */
export const CREATE_HYPERPOD = 'hyperpod/create';

/** The address of a cluster, or of a tab of it. */
export function addressOf(tag: string, id?: string): string {
  const address = `/clusters/${encodeURIComponent(tag)}`;
  return id === undefined || id === 'overview' ? address : `${address}/${id}`;
}
