"""The Kubernetes objects of a mount: a static volume of the bucket and the claim that pods name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

S3_DRIVER: Final = "s3.csi.aws.com"
# Kubernetes wants a size where a bucket has none.
_NOMINAL_SIZE: Final = "1200Gi"


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


def persistent_volume_claim(mount: Mount, labels: Mapping[str, str]) -> dict[str, JsonValue]:
    """Build the claim."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": mount.claim, "namespace": mount.namespace, "labels": dict(labels)},
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "storageClassName": "",
            "resources": {"requests": {"storage": _NOMINAL_SIZE}},
            "volumeName": mount.volume,
        },
    }
