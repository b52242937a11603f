"""SageMaker HyperPod as the stages and the edge read it: clusters, groups, instances; and a cluster's end."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from botocore.exceptions import ClientError

from functions.core import runtime
from functions.core.failures import code_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from types_boto3_sagemaker.type_defs import ClusterInstanceGroupDetailsTypeDef, ClusterNodeSummaryTypeDef

    from functions.core.runtime import Patience

_PAGE: Final = 100


class Taint(NamedTuple):
    """A taint that the nodes of a group are to have."""

    key: str
    value: str | None
    effect: str


@dataclass(frozen=True)
class Group:
    """An instance group as it stands; one of several types has them all in `types`, in order of preference."""

    name: str
    types: tuple[str, ...]
    current: int
    target: int
    capacity_type: str
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()

    @property
    def instance_type(self) -> str:
        """Name the type, or the types, for the reader."""
        return ", ".join(self.types)


@dataclass(frozen=True)
class Cluster:
    """A HyperPod cluster as it stands."""

    name: str
    arn: str
    status: str
    failure: str
    eks_arn: str
    groups: tuple[Group, ...]
    recovers: bool | None = None


@dataclass(frozen=True)
class Instance:
    """An instance as HyperPod lists it."""

    instance_id: str
    group: str
    status: str
    message: str = ""

    @property
    def runs(self) -> bool:
        """Say whether it runs; one that is checked, boots, fails or leaves does not count."""
        return self.status == "Running"


def describe(name: str, patience: Patience | None = None) -> Cluster | None:
    """Describe a cluster; None when there is none. Raises the client's own errors."""
    try:
        found = runtime.client("sagemaker", patience).describe_cluster(ClusterName=name)
    except ClientError as error:
        if code_of(error) == "ResourceNotFound":
            return None
        raise
    return Cluster(
        name=found.get("ClusterName", name),
        arn=found["ClusterArn"],
        status=found["ClusterStatus"],
        failure=found.get("FailureMessage", ""),
        eks_arn=found.get("Orchestrator", {}).get("Eks", {}).get("ClusterArn", ""),
        groups=tuple(_group(group) for group in found.get("InstanceGroups", [])),
        recovers={"Automatic": True, "None": False}.get(found.get("NodeRecovery", "")),
    )


def _group(found: ClusterInstanceGroupDetailsTypeDef) -> Group:
    single = found.get("InstanceType")
    several = found.get("InstanceRequirements", {}).get("DesiredInstanceTypes", [])
    return Group(
        name=found.get("InstanceGroupName", ""),
        types=(str(single),) if single else tuple(map(str, several)),
        current=found.get("CurrentCount", 0),
        target=found.get("TargetCount", 0),
        capacity_type=_capacity_type(found),
        labels=found.get("KubernetesConfig", {}).get("DesiredLabels", {}),
        taints=tuple(
            Taint(each["Key"], each.get("Value"), each["Effect"])
            for each in found.get("KubernetesConfig", {}).get("DesiredTaints", [])
        ),
    )


def _capacity_type(group: ClusterInstanceGroupDetailsTypeDef) -> str:
    """Say how a group is paid for; without a requirement and a plan it is On-Demand."""
    if group.get("TrainingPlanArn"):
        return "training_plan"
    return "spot" if "Spot" in group.get("CapacityRequirements", {}) else "on_demand"


def instances(name: str) -> Iterator[Instance]:
    """List the instances of a cluster, page by page. Raises the client's own errors."""
    pages = runtime.client("sagemaker").get_paginator("list_cluster_nodes")
    for page in pages.paginate(ClusterName=name, PaginationConfig={"PageSize": _PAGE}):
        yield from map(_instance, page["ClusterNodeSummaries"])


def first_instances(name: str) -> tuple[list[Instance], bool]:
    """List the first hundred instances of a cluster, and say whether these are all. Raises the client's own errors."""
    answer = runtime.client("sagemaker").list_cluster_nodes(ClusterName=name, MaxResults=_PAGE)
    return [_instance(each) for each in answer["ClusterNodeSummaries"]], not answer.get("NextToken")


def counted_by_group(name: str) -> dict[str, int]:
    """Count a cluster's instances by group, from their launch on, whether or not they run yet; empty without cluster.

    DescribeCluster's CurrentCount leaves out those that are being set up.
    """
    try:
        return dict(Counter(instance.group for instance in instances(name)))
    except ClientError as error:
        if code_of(error) == "ResourceNotFound":
            return {}
        raise


def _instance(found: ClusterNodeSummaryTypeDef) -> Instance:
    return Instance(
        instance_id=found["InstanceId"],
        group=found["InstanceGroupName"],
        status=found["InstanceStatus"]["Status"],
        message=found["InstanceStatus"].get("Message", ""),
    )


def has_instances(name: str) -> bool:
    """Say whether a cluster has any instance. Raises the client's own errors."""
    answer = runtime.client("sagemaker").list_cluster_nodes(ClusterName=name, MaxResults=1)
    return bool(answer["ClusterNodeSummaries"])


def tags(arn: str, patience: Patience | None = None) -> dict[str, str]:
    """Read the tags of a cluster. Raises the client's own errors."""
    pages = runtime.client("sagemaker", patience).get_paginator("list_tags").paginate(ResourceArn=arn)
    return {tag["Key"]: tag["Value"] for page in pages for tag in page["Tags"]}


def delete(name: str) -> None:
    """Begin to delete a cluster; one that is gone, or on its way, is left to the next look."""
    try:
        runtime.client("sagemaker").delete_cluster(ClusterName=name)
    except ClientError as error:
        if code_of(error) not in ("ResourceNotFound", "ConflictException"):
            raise


def groups_of_others(name: str, in_time: Callable[[], bool], patience: Patience | None = None) -> list[Group] | None:
    """List the instance groups of all clusters of the region but one; None when `in_time` ended the listing.

    Raises the client's own errors.
    """
    client = runtime.client("sagemaker", patience)
    found: list[Group] = []
    for page in client.get_paginator("list_clusters").paginate(PaginationConfig={"PageSize": _PAGE}):
        for other in (each["ClusterName"] for each in page["ClusterSummaries"] if each["ClusterName"] != name):
            if not in_time():
                return None
            cluster = describe(other, patience)
            found += cluster.groups if cluster else ()
    return found


def names_by_eks_cluster(
    known: Collection[str], in_time: Callable[[], bool], patience: Patience | None = None
) -> dict[str, str] | None:
    """Map the ARNs of EKS clusters to the HyperPod clusters on them, leaving out HyperPod clusters that are known.

    None when `in_time` ended the look: each cluster takes a call. Raises the client's own errors.
    """
    client = runtime.client("sagemaker", patience)
    found: dict[str, str] = {}
    for page in client.get_paginator("list_clusters").paginate(PaginationConfig={"PageSize": _PAGE}):
        for name in (each["ClusterName"] for each in page["ClusterSummaries"] if each["ClusterName"] not in known):
            if not in_time():
                return None
            cluster = describe(name, patience)
            if cluster and cluster.eks_arn:
                found[cluster.eks_arn] = name
    return found
