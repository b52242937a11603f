"""UpdateCluster as a repair uses it: groups of ours sent whole, as they were created, with what others set beside it.

UpdateCluster rebuilds a group from the request, and what that leaves out is lost. So what the group has and ours says
nothing of is sent along, as far as a request can hold it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from functions.aws.hyperpod_creation import specification_of
from functions.core import runtime

if TYPE_CHECKING:
    from collections.abc import Sequence

    from botocore.model import StructureShape
    from types_boto3_sagemaker.literals import ClusterNodeRecoveryType
    from types_boto3_sagemaker.type_defs import (
        ClusterInstanceGroupDetailsTypeDef,
        ClusterInstanceGroupSpecificationTypeDef,
    )

    from functions.aws.hyperpod_creation import NewCluster

# Details have these under other names, and ours says them anyway; or they are asked for once, when a group is created.
_OURS: Final = frozenset({"InstanceCount", "MinInstanceCount", "KubernetesConfig", "InstanceRequirements", "ImageId"})


def mend(new: NewCluster, groups: Sequence[str], *, recovery: bool) -> None:
    """Bring groups of a cluster, and its node recovery, to what was asked for. Raises the client's own errors."""
    client = runtime.client("sagemaker")
    standing = client.describe_cluster(ClusterName=new.name).get("InstanceGroups", [])
    details = {each.get("InstanceGroupName", ""): each for each in standing}
    shape = client.meta.service_model.shape_for("ClusterInstanceGroupSpecification")
    members = cast("StructureShape", shape).members
    sent = [
        _whole(specification_of(group, new), details.get(group.desired.name), frozenset(members) - _OURS)
        for group in new.groups
        if group.desired.name in groups
    ]
    if not recovery:
        client.update_cluster(ClusterName=new.name, InstanceGroups=sent)
    elif sent:
        client.update_cluster(ClusterName=new.name, InstanceGroups=sent, NodeRecovery=_recovery(new))
    else:
        client.update_cluster(ClusterName=new.name, NodeRecovery=_recovery(new))


def _whole(
    ours: ClusterInstanceGroupSpecificationTypeDef,
    standing: ClusterInstanceGroupDetailsTypeDef | None,
    members: frozenset[str],
) -> ClusterInstanceGroupSpecificationTypeDef:
    if standing is None:
        return ours
    # A minimum is what a creation waits for.
    ours.pop("MinInstanceCount", None)
    beside = {name: value for name, value in standing.items() if name in members}
    return {**beside, **ours}  # type: ignore[typeddict-item]


def _recovery(new: NewCluster) -> ClusterNodeRecoveryType:
    return "Automatic" if new.automatic_recovery else "None"
