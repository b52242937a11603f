"""The HyperPod simulator: SageMaker's cluster operations in Continuous provisioning mode, on EKS."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from infra.local.simulators import hyperpod_rules as rules
from infra.local.simulators import hyperpod_views as views
from infra.local.simulators.hyperpod_progress import Progress
from infra.local.simulators.hyperpod_records import (
    CREATION,
    MINIMUM_WITHIN,
    GroupRecord,
    HyperPodHost,
    HyperPodRecord,
    HyperPodRecords,
    HyperPodState,
    NodeFacts,
    NodeRecord,
    node_facts,
)
from infra.local.simulators.paging import page
from infra.local.simulators.service import JsonObject, Service, ServiceError, ServiceRequest, unverified

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime

    from infra.local.simulators.eks import EksView

DESCRIBED = ("VpcConfig", "Orchestrator", "NodeRecovery", "NodeProvisioningMode", "TieredStorageConfig")


class HyperPod(Service):
    """SageMaker HyperPod of one account and region."""

    name: ClassVar[str] = "sagemaker"
    records: HyperPodRecords

    def __init__(self, now: Callable[[], datetime], account_id: str, region: str, host: HyperPodHost) -> None:
        super().__init__(now, account_id, region)
        self._state = HyperPodState(now, account_id, region, host)
        self.records = self._state.records
        self._progress = Progress(self._state)

    @property
    def operations(self) -> Mapping[str, Callable[[JsonObject, ServiceRequest], JsonObject]]:
        """The SageMaker operations that are simulated."""
        return {
            "CreateCluster": self._create,
            "DescribeCluster": self._describe,
            "ListClusters": self._list,
            "DeleteCluster": self._delete,
            "ListClusterNodes": self._list_nodes,
            "DescribeClusterNode": self._describe_node,
            "ListClusterEvents": self._list_events,
            "DescribeClusterEvent": self._describe_event,
            "AddTags": self._add_tags,
            "DeleteTags": self._delete_tags,
            "ListTags": self._list_tags,
        }

    @property
    def capacity(self) -> dict[tuple[str, str], int]:
        """How many instances of a type a zone (by name) has; what is not listed is unlimited."""
        return self.records.capacity

    def settle(self) -> None:
        """Bring clusters, nodes and events up to the clock."""
        self._progress.settle()

    def deadlines(self) -> Iterator[datetime]:
        """Moments at which something changes by itself."""
        return self._progress.deadlines()

    def restore(self, state: bytes) -> None:
        """Go back to a snapshot."""
        super().restore(state)
        self._state.records = self.records

    def node_facts(self, eks_cluster_name: str) -> list[NodeFacts]:
        """The instances that are, or will be, nodes of an EKS cluster."""
        return node_facts(self.records, eks_cluster_name)

    def _create(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        rules.check_shape(params)
        rules.check_name(self._state, params["ClusterName"])
        eks = rules.check_orchestrator(self._state, params["Orchestrator"]["Eks"]["ClusterArn"])
        roles = [group["ExecutionRole"] for group in params["InstanceGroups"]]
        rules.check_roles(self._state, roles)
        groups = {spec["InstanceGroupName"]: self._group(spec, params, eks) for spec in params["InstanceGroups"]}
        cluster_id = self._state.mint(12)
        cluster = HyperPodRecord(
            name=params["ClusterName"],
            cluster_id=cluster_id,
            arn=f"arn:aws:sagemaker:{self.region}:{self.account_id}:cluster/{cluster_id}",
            eks_arn=eks.arn,
            created_at=self.now(),
            described={name: params[name] for name in DESCRIBED if name in params},
            groups=groups,
            tags={tag["Key"]: tag["Value"] for tag in params.get("Tags", [])},
        )
        self.records.clusters[cluster.name] = cluster
        self._progress.record(cluster, self.now(), "Cluster creation started")
        for role in dict.fromkeys(roles):
            self._state.host.admit_nodes(eks.name, role)
        entries = {"EksRoleAccessEntries": list(dict.fromkeys(roles))}
        self._progress.record(cluster, self.now(), "EKS Access Entries CREATE successful", metadata=entries)
        return {"ClusterArn": cluster.arn}

    def _group(self, spec: JsonObject, params: JsonObject, eks: EksView) -> GroupRecord:
        network = spec.get("OverrideVpcConfig") or params["VpcConfig"]
        start = self.now() + CREATION
        minimum = spec.get("MinInstanceCount", 0)
        return GroupRecord(
            spec=spec,
            target=spec["InstanceCount"],
            minimum=minimum,
            subnets=rules.check_network(self._state, network, eks.vpc_id),
            next_attempt=start if spec["InstanceCount"] else None,
            minimum_deadline=start + MINIMUM_WITHIN if minimum else None,
        )

    def _describe(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        return views.cluster_details(self._state.cluster(params["ClusterName"]), self.now())

    def _list(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        if "TrainingPlanArn" in params:
            raise unverified("input member TrainingPlanArn")
        found = [views.cluster_summary(cluster, self.now()) for cluster in self.records.clusters.values()]
        wanted = [each for each in found if params.get("NameContains", "") in each["ClusterName"]]
        order = "ClusterName" if params.get("SortBy") == "NAME" else "CreationTime"
        return _listed("ClusterSummaries", wanted, params, time="CreationTime", order=order)

    def _delete(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        cluster = self._state.cluster(params["ClusterName"])
        if cluster.deleted_at:
            raise ServiceError("ConflictException", f"Cluster {cluster.name} is already being deleted.")
        cluster.deleted_at = self.now()
        return {"ClusterArn": cluster.arn}

    def _list_nodes(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        if params.get("IncludeNodeLogicalIds"):
            raise unverified("input member IncludeNodeLogicalIds")
        cluster = self._state.cluster(params["ClusterName"])
        found = [
            views.node_summary(cluster, group, node, self.region)
            for group, node in _nodes(cluster)
            if params.get("InstanceGroupNameContains", "") in group.name
        ]
        order = "InstanceGroupName" if params.get("SortBy") == "NAME" else "LaunchTime"
        return _listed("ClusterNodeSummaries", found, params, time="LaunchTime", order=order)

    def _describe_node(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        cluster = self._state.cluster(params["ClusterName"])
        if ("NodeId" in params) == ("NodeLogicalId" in params):
            raise rules.invalid("Exactly one of NodeId and NodeLogicalId is required.")
        wanted = params.get("NodeId") or params["NodeLogicalId"]
        for group, node in _nodes(cluster):
            if wanted in (node.instance_id, node.logical_id):
                return {"NodeDetails": views.node_details(cluster, group, node, self.region)}
        raise ServiceError("ResourceNotFound", f"Node {wanted} does not exist in cluster {cluster.name}.")

    def _list_events(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        if "OperationId" in params:
            raise unverified("input member OperationId")
        cluster = self._state.cluster(params["ClusterName"])
        found = [
            views.event_summary(cluster, event)
            for event in cluster.events
            if event.resource_type == params.get("ResourceType", event.resource_type)
            and event.group == params.get("InstanceGroupName", event.group)
            and event.instance_id == params.get("NodeId", event.instance_id)
        ]
        newest_first = {"SortOrder": "Descending", **params}
        return _listed("Events", found, newest_first, time="EventTime", order="EventTime", asked="EventTime")

    def _describe_event(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        cluster = self._state.cluster(params["ClusterName"])
        for event in cluster.events:
            if event.event_id == params["EventId"]:
                return {"EventDetails": views.event_details(cluster, event)}
        raise ServiceError("ResourceNotFound", f"Event {params['EventId']} does not exist.")

    def _add_tags(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        tags = self._tagged(params["ResourceArn"]).tags
        tags.update({tag["Key"]: tag["Value"] for tag in params["Tags"]})
        return {"Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}

    def _delete_tags(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        tags = self._tagged(params["ResourceArn"]).tags
        for key in params["TagKeys"]:
            tags.pop(key, None)
        return {}

    def _list_tags(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        tags = [{"Key": key, "Value": value} for key, value in self._tagged(params["ResourceArn"]).tags.items()]
        chosen, token = page(tags, token=params.get("NextToken"), size=params.get("MaxResults"))
        return {"Tags": chosen, "NextToken": token}

    def _tagged(self, arn: str) -> HyperPodRecord:
        if ":cluster/" not in arn:
            raise unverified("tags of a resource other than a cluster")
        return self._state.cluster(arn)


def _nodes(cluster: HyperPodRecord) -> list[tuple[GroupRecord, NodeRecord]]:
    return [(group, node) for group in cluster.groups.values() for node in group.nodes]


def _listed(
    key: str, found: list[JsonObject], params: JsonObject, *, time: str, order: str, asked: str = "CreationTime"
) -> JsonObject:
    """Cut by time, sort and page: the same in every list of SageMaker."""
    after, before = params.get(f"{asked}After"), params.get(f"{asked}Before")
    cut = [each for each in found if (not after or each[time] > after) and (not before or each[time] < before)]
    cut.sort(key=lambda each: each[order])
    if params.get("SortOrder") == "Descending":
        cut.reverse()
    chosen, token = page(cut, token=params.get("NextToken"), size=params.get("MaxResults"))
    return {key: chosen, "NextToken": token}
