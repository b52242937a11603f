import ColumnLayout from '@cloudscape-design/components/column-layout';
import { useKubernetesVersions, useZones } from '../../api/catalog';
import type { KubernetesVersionView } from '../../api/schema';
import { perHour } from '../../components/money';
import { sentence } from '../../components/words';
import { bound } from '../../forms/bound';
import { LinesField, SuggestedField, TextField } from '../../forms/fields';
import type { FoundationProps } from './foundation-form';

/** The Kubernetes version, where the control plane stands, and who reaches its API server. */
export function ControlPlane({ draft, onChange }: FoundationProps) {
  const of = bound(draft, onChange, 'foundation');
  const { data, isPending, error } = useKubernetesVersions();
  const zones = useZones([]);
  const versions = data?.kubernetes_versions ?? [];
  const possible = (zones.data?.availability_zones ?? []).filter(({ control_plane }) => control_plane);
  return (
    <ColumnLayout columns={2}>
      <SuggestedField
        {...of('kubernetes_version')}
        label="Kubernetes version"
        optional
        options={versions.map(versionOption)}
        isReading={isPending}
        note={error && `The versions could not be read: ${error.problem.detail}`}
        placeholder={versions.find((version) => version.default)?.version}
      />
      <TextField
        {...of('control_plane_availability_zones')}
        label="Zones of the control plane"
        optional
        description="Two of them, parted by commas."
        constraint={possible.length > 0 && `Possible: ${possible.map(({ name }) => name).join(', ')}`}
      />
      <LinesField
        {...of('public_access_cidrs')}
        label="Who may reach the API server"
        optional
        description="Public IPv4 ranges, one a line; everywhere when left out."
        placeholder="203.0.113.0/24"
      />
    </ColumnLayout>
  );
}

function versionOption({ version, support, control_plane_price, default: byDefault }: KubernetesVersionView) {
  return {
    value: version,
    description: support ? `${sentence(support)} support` : undefined,
    labelTag: control_plane_price ? perHour(control_plane_price) : undefined,
    tags: byDefault ? ['Default'] : undefined,
  };
}
