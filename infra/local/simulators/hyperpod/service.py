"""The HyperPod simulator: SageMaker's operations on clusters and training plans, on EKS."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from infra.local.simulators.hyperpod import facts, views
from infra.local.simulators.hyperpod.clusters import Clusters
from infra.local.simulators.hyperpod.conditions import Conditions
from infra.local.simulators.hyperpod.journal import Journal
from infra.local.simulators.hyperpod.listing import listed
from infra.local.simulators.hyperpod.plans import Plans
from infra.local.simulators.hyperpod.progress import Progress
from infra.local.simulators.hyperpod.records import HyperPodRecords
from infra.local.simulators.hyperpod.refusals import invalid
from infra.local.simulators.hyperpod.state import HyperPodHost, HyperPodState
from infra.local.simulators.hyperpod.updates import Updates
from infra.local.simulators.paging import page
from infra.local.simulators.service import JsonObject, Service, ServiceError, ServiceRequest, unverified

if TYPE_CHECKING:
    from infra.local.simulators.hyperpod.facts import NodeFacts
    from infra.local.simulators.hyperpod.records import HyperPodRecord


class HyperPod(Service):
    """SageMaker HyperPod of one account and region."""

    name: ClassVar[str] = "sagemaker"
    records: HyperPodRecords

    def __init__(self, now: Callable[[], datetime], account_id: str, region: str, host: HyperPodHost) -> None:
        super().__init__(now, account_id, region)
        self._state = HyperPodState(now, account_id, region, host)
        self.records = self._state.records
        journal = Journal(self._state)
        self._progress = Progress(self._state, journal)
        self._clusters = Clusters(self._state, journal, self._progress)
        self._updates = Updates(self._state, journal, self._progress, self._clusters)
        self._plans = Plans(self._state)
        self.conditions = Conditions(self._state, self._plans, self._progress.nodes, self.settle)

    @property
    def operations(self) -> Mapping[str, Callable[[JsonObject, ServiceRequest], JsonObject]]:
        """The SageMaker operations that are simulated."""
        return {
            "CreateCluster": self._create,
            "UpdateCluster": self._update,
            "UpdateClusterSoftware": self._update_software,
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
            **self._plans.operations,
        }

    @property
    def capacity(self) -> dict[tuple[str, str], int]:
        """How many On-Demand instances of a type a zone (by name) has; what is not listed is unlimited."""
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
        return facts.node_facts(self.records, eks_cluster_name)

    def _create(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        return {"ClusterArn": self._clusters.create(params).arn}

    def _update(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        return {"ClusterArn": self._updates.update(params).arn}

    def _update_software(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        return {"ClusterArn": self._progress.software.begin(params).arn}

    def _describe(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        return views.cluster_details(self._state.cluster(params["ClusterName"]), self.records, self.now())

    def _list(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        found = [views.cluster_summary(cluster) for cluster in self.records.clusters.values()]
        plan = params.get("TrainingPlanArn")
        wanted = [
            each
            for each in found
            if params.get("NameContains", "") in each["ClusterName"]
            and (plan is None or plan in (each["TrainingPlanArns"] or []))
        ]
        order = "ClusterName" if params.get("SortBy") == "NAME" else "CreationTime"
        return listed("ClusterSummaries", wanted, params, time="CreationTime", order=order)

    def _delete(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        return {"ClusterArn": self._clusters.delete(params["ClusterName"]).arn}

    def _list_nodes(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        cluster = self._state.cluster(params["ClusterName"])
        found = [
            views.node_summary(cluster, group, node, self.records.releases[-1], self.region)
            for group, node in views.listed_nodes(cluster, self.now())
        ]
        if params.get("IncludeNodeLogicalIds"):
            _require_continuous(cluster, "IncludeNodeLogicalIds")
            found += views.requested_summaries(cluster)
        part = params.get("InstanceGroupNameContains", "")
        wanted = [each for each in found if part in each["InstanceGroupName"]]
        order = "InstanceGroupName" if params.get("SortBy") == "NAME" else "LaunchTime"
        return listed("ClusterNodeSummaries", wanted, params, time="LaunchTime", order=order)

    def _describe_node(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        cluster = self._state.cluster(params["ClusterName"])
        if ("NodeId" in params) == ("NodeLogicalId" in params):
            raise invalid("Exactly one of NodeId and NodeLogicalId is required.")
        if "NodeLogicalId" in params:
            _require_continuous(cluster, "NodeLogicalId")
        wanted = params.get("NodeId") or params["NodeLogicalId"]
        for group, node in cluster.nodes():
            if wanted in (node.instance_id, node.logical_id):
                return {"NodeDetails": views.node_details(cluster, group, node, self.records.releases[-1], self.region)}
        if "NodeLogicalId" in params and (details := views.logical_details(cluster, wanted)):
            return {"NodeDetails": details}
        raise ServiceError("ResourceNotFound", f"Node {wanted} does not exist in cluster {cluster.name}.")

    def _list_events(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        if "OperationId" in params:
            raise unverified("input member OperationId")
        cluster = self._state.cluster(params["ClusterName"])
        _require_continuous(cluster, "ListClusterEvents")
        found = [
            views.event_summary(cluster, event)
            for event in cluster.events
            if event.resource_type == params.get("ResourceType", event.resource_type)
            and event.group == params.get("InstanceGroupName", event.group)
            and event.instance_id == params.get("NodeId", event.instance_id)
        ]
        newest_first = {"SortOrder": "Descending", **params}
        return listed("Events", found, newest_first, time="EventTime", order="EventTime", asked="EventTime")

    def _describe_event(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        cluster = self._state.cluster(params["ClusterName"])
        _require_continuous(cluster, "DescribeClusterEvent")
        for event in cluster.events:
            if event.event_id == params["EventId"]:
                return {"EventDetails": views.event_details(cluster, event)}
        raise ServiceError("ResourceNotFound", f"Event {params['EventId']} does not exist.")

    def _add_tags(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        tags = self._tagged(params["ResourceArn"])
        tags.update({tag["Key"]: tag["Value"] for tag in params["Tags"]})
        return {"Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}

    def _delete_tags(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        tags = self._tagged(params["ResourceArn"])
        for key in params["TagKeys"]:
            tags.pop(key, None)
        return {}

    def _list_tags(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        tags = [{"Key": key, "Value": value} for key, value in self._tagged(params["ResourceArn"]).items()]
        chosen, token = page(tags, token=params.get("NextToken"), size=params.get("MaxResults"))
        return {"Tags": chosen, "NextToken": token}

    def _tagged(self, arn: str) -> dict[str, str]:
        if arn in self.records.plans:
            return self.records.plans[arn].tags
        if ":cluster/" not in arn:
            raise unverified("tags of a resource other than a cluster or a training plan")
        return self._state.cluster(arn).tags


def _require_continuous(cluster: HyperPodRecord, what: str) -> None:
    if not cluster.continuous:
        raise invalid(f"{what} is only supported for clusters with NodeProvisioningMode Continuous.")
