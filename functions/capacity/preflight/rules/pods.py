"""Whether the nodes of a new cluster have room for its own pods, and for add-ons that come later.

Sources: SageMaker developer guide, pods per node in "Getting started with Amazon EKS support in SageMaker HyperPod",
and the inference add-on's troubleshooting, which asks for 13 pods of room and ml.c5.4xlarge at the least.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.catalog.rules import accelerated, has_efa, instance_type
from functions.core.errors import InvalidRequest
from functions.core.findings import Finding, Level

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from functions.capacity.models import InstanceGroup
    from functions.capacity.preflight.models import Placed

POD_CAPACITY: Final = "system_pod_capacity"
NO_INSTANCE: Final = "no_instance"
SYSTEM_GROUP: Final = "system_group"
# aws-node, kube-proxy, eks-pod-identity-agent and s3-csi-node; with accelerators their device plugin and the health
# monitoring agent; with EFA its device plugin.
_PER_NODE: Final = 4
_PER_ACCELERATED_NODE: Final = 2
_PER_EFA_NODE: Final = 1
# Two of CoreDNS, the S3 driver's controller, the training operator and the MPI operator.
_PER_CLUSTER: Final = 5
_ROOM: Final = 13
_GENERAL_PURPOSE: Final = "ml.c5.4xlarge"


def check(placed: Sequence[Placed]) -> Iterator[Finding]:
    """Refuse a cluster without any instance, warn of nodes that are nearly full before any workload comes.

    Where only accelerated nodes would run the cluster's own pods, a group for them is suggested.
    """
    groups = [each.group for each in placed]
    if not any(group.instance_count for group in groups):
        yield _no_instance(placed[0])
        return
    slots = sum(_pods_of(group) * group.instance_count for group in groups)
    needed = _PER_CLUSTER + sum(_own_pods(group) * group.instance_count for group in groups)
    if slots - needed < _ROOM:
        yield Finding(
            check=POD_CAPACITY,
            level=Level.WARNING,
            field=placed[0].beside("system_group"),
            message=f"the nodes hold {slots} pods, the cluster's own take {needed}: {max(slots - needed, 0)} are left, "
            f"and a large add-on such as the inference operator needs {_ROOM}",
            remedy=f"Add a general-purpose group such as {_GENERAL_PURPOSE}, for example as system_group.",
        )
    if not any(group.instance_count and not _is_accelerated(group) for group in groups):
        yield Finding(
            check=SYSTEM_GROUP,
            level=Level.INFO,
            field=placed[0].beside("system_group"),
            message="no group without accelerators has an instance from the start, so the cluster's own pods run on "
            "accelerated nodes, or on none when those scale to zero",
            remedy="Send system_group: {} for a small CPU group.",
        )


def _no_instance(first: Placed) -> Finding:
    return Finding(
        check=NO_INSTANCE,
        level=Level.ERROR,
        code=InvalidRequest.code,
        field=first.at("instance_count"),
        message="is 0, as in every group: the cluster's own pods need an instance to run on",
        remedy="Ask for an instance in one group, or send system_group: {} for a small CPU group.",
    )


def _pods_of(group: InstanceGroup) -> int:
    """Say how many pods a node holds at the least, by the smallest of its types."""
    return min((facts.max_pods for kind in group.types if (facts := instance_type(kind))), default=0)


def _own_pods(group: InstanceGroup) -> int:
    efa = any(map(has_efa, group.types))
    return _PER_NODE + _PER_ACCELERATED_NODE * _is_accelerated(group) + _PER_EFA_NODE * efa


def _is_accelerated(group: InstanceGroup) -> bool:
    return any(map(accelerated, group.types))
