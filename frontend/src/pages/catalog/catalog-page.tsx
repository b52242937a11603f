import { lazy } from 'react';
import { useParams } from 'react-router';
import { PageFrame } from '../../application/page-frame';
import { PageTabs } from '../../components/page-tabs';

const InstanceTypes = lazy(() => import('./instance-types/instance-types-tab'));
const Quotas = lazy(() => import('./quotas/quotas-tab'));
const TrainingPlans = lazy(() => import('./training-plans/training-plans-tab'));
const Zones = lazy(() => import('./places/zones-tab'));
const KubernetesVersions = lazy(() => import('./places/kubernetes-versions-tab'));
const AddressRange = lazy(() => import('./addresses/address-range-tab'));

const TABS = [
  { id: 'instance-types', label: 'Instance types', content: <InstanceTypes /> },
  { id: 'quotas', label: 'Quotas', content: <Quotas /> },
  { id: 'training-plans', label: 'Training plans', content: <TrainingPlans /> },
  { id: 'zones', label: 'Zones', content: <Zones /> },
  { id: 'kubernetes-versions', label: 'Kubernetes versions', content: <KubernetesVersions /> },
  { id: 'address-range', label: 'Address range', content: <AddressRange /> },
].map((tab) => ({ ...tab, href: `/catalog/${tab.id}` }));

/** What can be had: looked up at AWS, each part when somebody looks at it. */
export function Component() {
  const { tab } = useParams();
  return (
    <PageFrame
      title="Catalog"
      above={[]}
      description="What this account can have in its region, and how much of it is taken."
    >
      <PageTabs label="What can be had" tabs={TABS} active={tab} />
    </PageFrame>
  );
}
