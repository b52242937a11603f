import Button from '@cloudscape-design/components/button';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import { useInstanceType } from '../../../api/catalog';
import type { InstanceTypeView } from '../../../api/schema';
import { perHour } from '../../../components/money';
import { NotRead } from '../../../components/not-read';
import { PageLink } from '../../../components/page-link';
import { NotSaid, Unknowns } from '../../../components/unknowns';
import { Zones } from './zones';

/** Everything about one instance type. */
export function InstanceTypeDetail({ name, onClose }: { name: string; onClose: () => void }) {
  const { data, error, refetch } = useInstanceType(name);
  return (
    <Modal
      visible
      size="large"
      header={<bdi>{name}</bdi>}
      onDismiss={onClose}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      {data ? (
        <SpaceBetween size="m">
          <Unknowns unknown={data.unknown} isShipped={data.source === 'shipped'} />
          <Facts type={data.instance_type} />
          <PageLink to={`/catalog/quotas?types=${name}`}>Its quotas</PageLink>
        </SpaceBetween>
      ) : error ? (
        <NotRead problem={error.problem} onRetry={() => void refetch()} />
      ) : (
        <>
          <Spinner /> Reading the instance type
        </>
      )}
    </Modal>
  );
}

function Facts({ type }: { type: InstanceTypeView }) {
  const { accelerator, accelerator_count, accelerator_memory_gib, price, availability_zones } = type;
  return (
    <KeyValuePairs
      columns={3}
      items={[
        { label: 'Accelerators', value: accelerator ? `${accelerator_count} × ${accelerator}` : 'None' },
        { label: 'Memory of each', value: accelerator ? `${accelerator_memory_gib} GiB` : '-' },
        { label: 'vCPUs, memory', value: `${type.vcpus}, ${type.memory_gib} GiB` },
        { label: 'Architecture', value: type.architecture },
        { label: 'EFA interfaces', value: String(type.efa_interfaces) },
        { label: 'Pods on a node', value: `${type.max_pods} at most` },
        { label: 'Addresses of a node', value: String(type.addresses_per_node) },
        {
          label: 'Addresses with EFA-only interfaces',
          value: type.efa_only_possible ? String(type.addresses_per_node_efa_only) : 'Not possible',
        },
        { label: 'On-Demand price', value: price ? `${perHour(price)}, of ${price.as_of}` : <NotSaid /> },
        { label: 'Zones', value: <Zones names={availability_zones} /> },
      ]}
    />
  );
}
