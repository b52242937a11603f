"""EBS volumes that claims in a cluster asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.aws.network import tags_in
from functions.clusters.deletion.models import Volume
from functions.core import runtime

if TYPE_CHECKING:
    from types_boto3_ec2.type_defs import FilterTypeDef

    from functions.core.runtime import Patience

# Source: Amazon EBS CSI driver documentation, "Tagging".
_CLAIM: Final = "kubernetes.io/created-for/pvc"


def of_cluster(eks_cluster: str, patience: Patience | None = None) -> list[Volume]:
    """List the volumes that the EBS driver made in a cluster. Raises the client's own errors."""
    wanted: list[FilterTypeDef] = [{"Name": f"tag:kubernetes.io/cluster/{eks_cluster}", "Values": ["owned"]}]
    pages = runtime.client("ec2", patience).get_paginator("describe_volumes").paginate(Filters=wanted)
    found = [(volume, tags_in(volume.get("Tags", []))) for page in pages for volume in page["Volumes"]]
    return [
        Volume(
            volume_id=volume.get("VolumeId", ""),
            size_gib=volume.get("Size", 0),
            claim=f"{tags.get(f'{_CLAIM}/namespace', '?')}/{tags.get(f'{_CLAIM}/name', '?')}",
        )
        for volume, tags in found
    ]
