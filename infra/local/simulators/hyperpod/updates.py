"""UpdateCluster: groups are rebuilt from the request, and what it leaves out is lost (facts 1.4).

Nothing is changed before everything was checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from infra.local.simulators.hyperpod import quotas, requests, times, update_rules
from infra.local.simulators.hyperpod.clusters import Clusters, check_resources, wanted
from infra.local.simulators.hyperpod.records import GroupRecord, HyperPodRecord, Phase
from infra.local.simulators.hyperpod.refusals import invalid
from infra.local.simulators.hyperpod.software_records import Software

if TYPE_CHECKING:
    from infra.local.simulators.eks import EksView
    from infra.local.simulators.hyperpod.journal import Journal
    from infra.local.simulators.hyperpod.progress import Progress
    from infra.local.simulators.hyperpod.state import HyperPodState
    from infra.local.simulators.service import JsonObject

DESCRIBED: Final = ("NodeRecovery", "TieredStorageConfig", "ClusterRole", "AutoScaling")


@dataclass
class Plan:
    """What an accepted request will do."""

    changed: list[tuple[GroupRecord, JsonObject]]
    added: list[GroupRecord]
    deleted: list[GroupRecord]


class Updates:
    """Changes clusters."""

    def __init__(self, state: HyperPodState, journal: Journal, progress: Progress, clusters: Clusters) -> None:
        self._state = state
        self._journal = journal
        self._progress = progress
        self._clusters = clusters

    def update(self, params: JsonObject) -> HyperPodRecord:
        """UpdateCluster."""
        cluster = self._state.cluster(params["ClusterName"])
        update_rules.check_request(cluster, params)
        plan = self._planned(cluster, params)
        self._check_cluster(cluster, params)
        now = self._state.now()
        cluster.changed_at = now
        cluster.described |= {name: params[name] for name in DESCRIBED if name in params}
        self._set_autoscaling(cluster, params, now)
        self._set_recovery(cluster, now)
        self._begin(cluster, plan, now)
        self._journal.announce(cluster, now)
        return cluster

    def _planned(self, cluster: HyperPodRecord, params: JsonObject) -> Plan:
        specs: Sequence[JsonObject] = params.get("InstanceGroups", [])
        by_name = {spec["InstanceGroupName"]: spec for spec in specs}
        requests.check_groups(specs, continuous=cluster.continuous)
        changed = [(cluster.groups[name], spec) for name, spec in by_name.items() if name in cluster.groups]
        for group, spec in changed:
            update_rules.check_change(group, spec)
        new = [spec for name, spec in by_name.items() if name not in cluster.groups]
        requests.check_roles(self._state, {spec["ExecutionRole"] for spec in new})
        check_resources(self._state, specs, {group.name: group.target for group, _ in changed})
        deleted = [cluster.groups[name] for name in params.get("InstanceGroupsToDelete", [])]
        gone = [group for group, _ in changed] + deleted
        quotas.judge(self._state.records, cluster.name, gone, map(wanted, specs))
        return Plan(changed, [self._new_group(cluster, spec) for spec in new], deleted)

    def _new_group(self, cluster: HyperPodRecord, spec: JsonObject) -> GroupRecord:
        network = spec.get("OverrideVpcConfig") or cluster.described["VpcConfig"]
        eks = self._state.host.eks_cluster(cluster.eks_arn)
        if eks is None:
            raise invalid(f"The specified EKS cluster {cluster.eks_arn} does not exist.")
        subnets = requests.check_network(self._state, network, eks.vpc_id)
        group = self._clusters.new_group(spec, subnets, network["SecurityGroupIds"], self._software(cluster, eks))
        # A new group of a Continuous cluster takes the image of the earliest one (facts 1.4).
        if cluster.continuous:
            group.inherited_image = next(iter(cluster.groups.values())).image
        return group

    def _software(self, cluster: HyperPodRecord, eks: EksView) -> Software:
        """A new group of a Continuous cluster takes the image of the earliest one (facts 1.4)."""
        earliest = next(iter(cluster.groups.values()))
        return earliest.software if cluster.continuous else Software(self._state.records.releases[-1], eks.version)

    def _check_cluster(self, cluster: HyperPodRecord, params: JsonObject) -> None:
        if "AutoScaling" in params or "ClusterRole" in params:
            requests.check_autoscaling(self._state, {**cluster.described, **params})

    def _set_autoscaling(self, cluster: HyperPodRecord, params: JsonObject, now: datetime) -> None:
        mode = params.get("AutoScaling", {}).get("Mode")
        if mode == "Enable" and cluster.autoscaling_ready_at is None:
            cluster.autoscaling_ready_at = cluster.due = now + times.AUTOSCALING
        elif mode == "Disable":
            cluster.autoscaling_ready_at = cluster.due = None
            cluster.described.pop("AutoScaling")

    def _set_recovery(self, cluster: HyperPodRecord, now: datetime) -> None:
        """Recovery that was switched on begins with the nodes that are known to be faulty."""
        for _, node in cluster.nodes():
            if cluster.recovers and node.health and node.health.waiting:
                node.health.due = now + times.RECOVERY_AFTER

    def _begin(self, cluster: HyperPodRecord, plan: Plan, now: datetime) -> None:
        if not cluster.continuous and (plan.changed or plan.added or plan.deleted):
            cluster.status, cluster.failure, cluster.due = "Updating", "", now + times.CREATION
        for role in {group.spec["ExecutionRole"]: None for group in plan.added}:
            self._state.host.admit_nodes(cluster.eks_name, role)
        for group, spec in plan.changed:
            self._change(cluster, group, spec, now)
        for group in plan.added:
            cluster.groups[group.name] = group
            self._started(cluster, group, "creation", now)
            self._progress.groups.scale(cluster, group, group.spec["InstanceCount"], now)
        for group in plan.deleted:
            group.deleting, group.minimum_deadline = True, None
            self._started(cluster, group, "deletion", now)
            self._progress.groups.scale(cluster, group, 0, now)
            if not group.nodes:
                del cluster.groups[group.name]

    def _change(self, cluster: HyperPodRecord, group: GroupRecord, spec: JsonObject, now: datetime) -> None:
        group.before, group.failed = group.standing, False
        moved, count = spec["InstanceCount"] - group.target, spec["InstanceCount"]
        group.minimum = spec.get("MinInstanceCount", 0)
        if group.minimum:
            group.ready_at = now + times.CREATION
            group.minimum_deadline = group.ready_at + times.MINIMUM_WITHIN
        group.spec = spec
        self._progress.groups.relabel(group, now)
        if moved:
            self._started(cluster, group, "scaling", now)
            self._progress.groups.scale(cluster, group, count, now)
            self._tell_noise(cluster, abs(moved), now)
        self._progress.groups.judge(cluster, group, now)

    def _started(self, cluster: HyperPodRecord, group: GroupRecord, operation: str, now: datetime) -> None:
        text = f"InstanceGroup {group.name} {operation} started successfully in Cluster {cluster.name}"
        self._journal.of_group(cluster, group, now, text)

    def _tell_noise(self, cluster: HyperPodRecord, count: int, now: datetime) -> None:
        """Scaling itself looks like a failure in the events (facts 1.7)."""
        wanted_nodes = sum(group.target for group in cluster.groups.values())
        ready = sum(1 for group in cluster.groups.values() for node in group.present if node.phase is Phase.RUNNING)
        text = (
            f"{count} node(s) lost orchestration-ready status. Current: {ready}/{wanted_nodes} orchestration-ready"
            f" across {len(cluster.groups)} instance group(s)."
        )
        failure = "Request to service failed. If failure persists after retry, contact customer support."
        self._journal.of_cluster(cluster, now, text, level="Warn", failure=failure)
