"""The Kubernetes objects of a mount: a static volume of the bucket, the claim that pods name, the probe."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

S3_DRIVER: Final = "s3.csi.aws.com"
# Kubernetes wants a size where a bucket has none.
_NOMINAL_SIZE: Final = "1200Gi"
PROBED: Final = "instantstart/probed-by"
_LONGEST_NAME: Final = 63
_PROBE_IMAGE: Final = "public.ecr.aws/docker/library/busybox:1.37"
_PROBE_SECONDS: Final = 600
_NOBODY: Final = 65534
# A file of the operation's own: Mountpoint refuses to overwrite. The directory goes with its last object.
_PROBE_SCRIPT: Final = """set -e
directory=/mount/.instantstart-probe
mkdir -p "$directory"
echo "$MARKER" > "$directory/$MARKER"
ls "$directory" > /dev/null
test "$(cat "$directory/$MARKER")" = "$MARKER"
rm "$directory/$MARKER"
"""


@dataclass(frozen=True)
class Mount:
    """A bucket as pods see it."""

    claim: str
    namespace: str
    bucket: str
    region: str

    @property
    def volume(self) -> str:
        """Name the volume: it is cluster-wide, so it carries the namespace, parted by what neither name can hold."""
        return f"pv.{self.namespace}.{self.claim}"

    @property
    def probe(self) -> str:
        """Name the pod that probes the mount."""
        name = f"{self.claim}-probe"
        if len(name) <= _LONGEST_NAME:
            return name
        digest = hashlib.sha256(self.claim.encode()).hexdigest()[:8]
        return f"{self.claim[:48].rstrip('-.')}-{digest}-probe"


def persistent_volume(mount: Mount, labels: Mapping[str, str]) -> dict[str, JsonValue]:
    """Build the volume.

    Source: Mountpoint for Amazon S3 CSI driver, static provisioning.
    """
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": mount.volume, "labels": dict(labels)},
        "spec": {
            "capacity": {"storage": _NOMINAL_SIZE},
            "accessModes": ["ReadWriteMany"],
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": "",
            "claimRef": {"namespace": mount.namespace, "name": mount.claim},
            "mountOptions": ["allow-delete", f"region {mount.region}"],
            "csi": {
                "driver": S3_DRIVER,
                "volumeHandle": mount.volume,
                "volumeAttributes": {"bucketName": mount.bucket},
            },
        },
    }


def persistent_volume_claim(mount: Mount, labels: Mapping[str, str], probed_by: str = "") -> dict[str, JsonValue]:
    """Build the claim; `probed_by` is the operation that has seen the mount work."""
    annotations: dict[str, JsonValue] = {"annotations": {PROBED: probed_by}} if probed_by else {}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": mount.claim, "namespace": mount.namespace, "labels": dict(labels), **annotations},
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "storageClassName": "",
            "resources": {"requests": {"storage": _NOMINAL_SIZE}},
            "volumeName": mount.volume,
        },
    }


def probe_pod(mount: Mount, labels: Mapping[str, str], operation_id: str) -> dict[str, JsonValue]:
    """Build the pod that writes, reads and removes a marker through the mount.

    Its file system group is what lets a user other than root use a mount. Source: Mountpoint for Amazon S3 CSI driver.
    """
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": mount.probe, "namespace": mount.namespace, "labels": dict(labels)},
        "spec": {
            "restartPolicy": "Never",
            "activeDeadlineSeconds": _PROBE_SECONDS,
            "terminationGracePeriodSeconds": 1,
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "securityContext": {
                "runAsNonRoot": True,
                "runAsUser": _NOBODY,
                "runAsGroup": _NOBODY,
                "fsGroup": _NOBODY,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "tolerations": [
                {"key": key, "operator": "Exists", "effect": "NoSchedule"}
                for key in ("nvidia.com/gpu", "aws.amazon.com/neuron", "vpc.amazonaws.com/efa")
            ],
            "containers": [_probe_container(operation_id)],
            "volumes": [{"name": "mount", "persistentVolumeClaim": {"claimName": mount.claim}}],
        },
    }


def _probe_container(marker: str) -> dict[str, JsonValue]:
    amounts: dict[str, JsonValue] = {"cpu": "10m", "memory": "16Mi"}
    return {
        "name": "probe",
        "image": _PROBE_IMAGE,
        "command": ["sh", "-c", _PROBE_SCRIPT],
        "env": [{"name": "MARKER", "value": marker}],
        "resources": {"requests": amounts, "limits": {"cpu": "100m", "memory": "64Mi"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "volumeMounts": [{"name": "mount", "mountPath": "/mount"}],
    }
