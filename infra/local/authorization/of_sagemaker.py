"""What IAM is asked for calls of HyperPod, with what it does in its caller's name in EKS, EC2 and IAM."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from infra.local.authorization.asking import Unknown, passing, service_role, tags_of, to_be_tagged
from infra.local.authorization.evaluation import Asked
from infra.local.authorization.of_eks import access_entry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from infra.local.authorization.live import Live
    from infra.local.authorization.parsing import Call

_FREE: Final = ("ListClusters", "ListTrainingPlans", "SearchTrainingPlanOfferings")
_ON_CLUSTERS: Final = (
    "BatchAddClusterNodes",
    "BatchDeleteClusterNodes",
    "CreateCluster",
    "DeleteCluster",
    "DescribeCluster",
    "DescribeClusterEvent",
    "DescribeClusterNode",
    "ListClusterEvents",
    "ListClusterNodes",
    "UpdateCluster",
    "UpdateClusterSoftware",
)
_TAGS: Final = ("AddTags", "DeleteTags", "ListTags")
_SERVICE: Final = "hyperpod.sagemaker.amazonaws.com"
_SERVICE_ROLE: Final = "AWSServiceRoleForSageMakerHyperPod"
# The entry that HyperPod makes for the role it works with. Source: SageMaker developer guide, "IAM users for cluster
# admin"; the authorization reference lists these with the operations.
_LETS_IN: Final = ("CreateCluster", "UpdateCluster")
_LOOKS_AT_EKS: Final = (*_LETS_IN, "BatchAddClusterNodes", "BatchDeleteClusterNodes", "UpdateClusterSoftware")
_IMAGES: Final = ("ModifyImageAttribute", "ModifySnapshotAttribute")


def asked(call: Call, live: Live) -> Iterator[Asked]:
    """Say what is asked; raises Unknown."""
    action = f"sagemaker:{call.operation}"
    if call.operation in _FREE:
        yield Asked(action, "*")
    elif call.operation in _TAGS:
        yield Asked(action, call.text("ResourceArn"), to_be_tagged(tags_of(call.rows("Tags"))))
    elif call.operation == "DescribeTrainingPlan":
        plan = call.text("TrainingPlanName")
        yield Asked(action, plan if plan.startswith("arn:") else live.place.arn("sagemaker", f"training-plan/{plan}"))
    elif call.operation in _ON_CLUSTERS:
        yield from _on_cluster(call, live)
    else:
        raise Unknown(call.operation)


def _on_cluster(call: Call, live: Live) -> Iterator[Asked]:
    name = call.text("ClusterName")
    known, eks = live.world.hyperpod_cluster(name)
    # A new one has an id that the caller does not know yet, and of a name alone IAM knows no more.
    cluster = known or (name if name.startswith("arn:") else live.place.arn("sagemaker", "cluster/none"))
    tags = to_be_tagged(tags_of(call.rows("Tags")))
    for resource in (cluster, *_plans(call)):
        yield Asked(f"sagemaker:{call.operation}", resource, tags)
    if tags:
        yield Asked("sagemaker:AddTags", cluster, tags)
    orchestrator: Mapping[str, Any] = (call.parameters.get("Orchestrator") or {}).get("Eks") or {}
    yield from _in_eks(call, live, str(orchestrator.get("ClusterArn") or eks))
    yield from _of_groups(call, live, cluster)


def _plans(call: Call) -> list[str]:
    return [str(group["TrainingPlanArn"]) for group in call.rows("InstanceGroups") if group.get("TrainingPlanArn")]


def _in_eks(call: Call, live: Live, eks: str) -> Iterator[Asked]:
    if not eks:
        return
    entry = access_entry(
        live,
        eks.rpartition("/")[2],
        live.place.arn("iam", f"role/aws-service-role/{_SERVICE}/{_SERVICE_ROLE}", region=False),
    )
    if call.operation in _LOOKS_AT_EKS:
        yield Asked("eks:DescribeCluster", eks)
    if call.operation in _LETS_IN:
        yield Asked("eks:CreateAccessEntry", eks)
        yield from (Asked(f"eks:{each}", entry) for each in ("AssociateAccessPolicy", "DescribeAccessEntry"))
    if call.operation in (*_LETS_IN, "DeleteCluster"):
        yield Asked("eks:DeleteAccessEntry", entry)


def _of_groups(call: Call, live: Live, cluster: str) -> Iterator[Asked]:
    groups = call.rows("InstanceGroups")
    yield from passing([group.get("ExecutionRole") for group in groups], "sagemaker")
    if call.operation == "CreateCluster":
        yield service_role(live, _SERVICE, _SERVICE_ROLE)
    if call.operation == "UpdateCluster":
        yield from (Asked(f"sagemaker:{each}", cluster) for each in ("BatchAddClusterNodes", "BatchDeleteClusterNodes"))
    images = {str(each["ImageId"]) for each in (call.parameters, *groups) if each.get("ImageId")}
    for image in sorted(images):
        yield from _sharing(live, image)


def _sharing(live: Live, image: str) -> Iterator[Asked]:
    """A caller's own image is shared with the service's account, with the snapshots that it consists of."""
    yield from (Asked(f"ec2:{each}", "*") for each in ("DescribeImages", "DescribeSnapshots"))
    for action, resource in zip(_IMAGES, (f"image/{image}", "snapshot/of-image"), strict=True):
        yield Asked(f"ec2:{action}", f"arn:{live.place.partition}:ec2:{live.place.region}::{resource}")
