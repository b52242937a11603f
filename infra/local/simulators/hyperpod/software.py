"""UpdateClusterSoftware: groups get HyperPod's newest image for their EKS cluster's version, batch by batch.

Sources: SageMaker API reference, UpdateClusterSoftware; developer guide, "Update your AMI version in your SageMaker
HyperPod cluster" and "Update the SageMaker HyperPod platform software" (root volumes are replaced, nodes are NotReady
meanwhile, pods are not drained); facts 1.5 (lifecycle scripts run again, four attempts, then the former image).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from infra.local.simulators.hyperpod import times
from infra.local.simulators.hyperpod.journal import short_place_name
from infra.local.simulators.hyperpod.records import GroupRecord, HyperPodRecord, NodeRecord, Phase
from infra.local.simulators.hyperpod.refusals import conflict, invalid
from infra.local.simulators.hyperpod.software_records import Software, SoftwareUpdate
from infra.local.simulators.service import refuse_unverified

if TYPE_CHECKING:
    from infra.local.simulators.hyperpod.journal import Journal
    from infra.local.simulators.hyperpod.scripts import LifecycleScripts
    from infra.local.simulators.hyperpod.state import HyperPodState
    from infra.local.simulators.service import JsonObject

ATTEMPTS: Final = 4


class SoftwareUpdates:
    """Begins updates and moves them."""

    def __init__(self, state: HyperPodState, journal: Journal, scripts: LifecycleScripts) -> None:
        self._state = state
        self._journal = journal
        self._scripts = scripts

    # -- the request

    def begin(self, params: JsonObject) -> HyperPodRecord:
        """UpdateClusterSoftware; without groups it is about all of them."""
        refuse_unverified(params, {"ClusterName", "InstanceGroups", "DeploymentConfig"})
        cluster = self._state.cluster(params["ClusterName"])
        if cluster.status != "InService":
            raise conflict(f"Cluster {cluster.name} is in status {cluster.status}; it must be InService to be updated.")
        chosen = self._chosen(cluster, params.get("InstanceGroups") or [])
        config, now = params.get("DeploymentConfig", {}), self._state.now()
        _check_config(config)
        for group, release in chosen:
            self._start(cluster, group, release, config, now)
        cluster.status = "SystemUpdating"
        self._journal.announce(cluster, now)
        self.step(cluster, now)
        self._journal.announce(cluster, now)
        return cluster

    def _chosen(self, cluster: HyperPodRecord, asked: list[JsonObject]) -> list[tuple[GroupRecord, str]]:
        newest = self._state.records.releases[-1]
        specs = asked or [{"InstanceGroupName": name} for name in cluster.groups]
        chosen: list[tuple[GroupRecord, str]] = []
        for spec in specs:
            name, release = spec["InstanceGroupName"], spec.get("ImageReleaseVersion", newest)
            if name not in cluster.groups:
                raise invalid(f"Instance group {name} does not exist in cluster {cluster.name}.")
            if release not in self._state.records.releases:
                raise invalid(f"Image release version {release} does not exist.")
            group = cluster.groups[name]
            if group.image not in (None, "default"):
                raise invalid(f"Instance group {name} uses a custom AMI: ImageId is required.")
            if group.deleting or any(node.phase is Phase.CHECKING for node in group.nodes):
                raise conflict(f"Instance group {name} cannot be updated at this moment.")
            chosen.append((group, release))
        return chosen

    def _start(
        self, cluster: HyperPodRecord, group: GroupRecord, release: str, config: JsonObject, at: datetime
    ) -> None:
        policy = config.get("RollingUpdatePolicy", {})
        instances = [node.instance_id for node in group.present if node.phase is Phase.RUNNING]
        batch = _size(policy.get("MaximumBatchSize"), len(instances))
        group.software_update = SoftwareUpdate(
            target=Software(release, self._version(cluster)),
            before=group.software,
            waiting=instances,
            batch=batch,
            rollback_batch=_size(policy.get("RollbackMaximumBatchSize"), batch),
            wait=timedelta(seconds=config.get("WaitIntervalInSeconds", 0)),
            config=dict(config),
            next_batch=at,
        )
        text = f"Software update of InstanceGroup {group.name} in Cluster {cluster.name} started"
        self._journal.of_group(cluster, group, at, text)

    def _version(self, cluster: HyperPodRecord) -> str:
        eks = self._state.host.eks_cluster(cluster.eks_arn)
        if eks is None:
            raise invalid(f"The EKS cluster {cluster.eks_arn} does not exist.")
        return eks.version

    # -- what happens by itself

    def step(self, cluster: HyperPodRecord, at: datetime) -> None:
        """Do what is due."""
        if cluster.status != "SystemUpdating":
            return
        for group in cluster.groups.values():
            if group.software_update and group.software_update.running:
                self._step_group(cluster, group, group.software_update, at)
        updates = [group.software_update for group in cluster.groups.values() if group.software_update]
        if not any(update.running for update in updates):
            cluster.status = "InService"

    def _step_group(self, cluster: HyperPodRecord, group: GroupRecord, update: SoftwareUpdate, at: datetime) -> None:
        at_work = [node for node in group.present if node.phase is Phase.UPDATING]
        for node in at_work:
            if node.due and node.due <= at:
                self._advance(cluster, group, update, node, at)
        if any(node.due for node in at_work):
            return
        if not update.backwards and (any(node.phase is Phase.UPDATING for node in at_work) or self._alarmed(update)):
            self._turn_back(cluster, group, update, at)
        if not update.waiting:
            self._end(cluster, group, update, at)
        elif update.next_batch is None:
            update.next_batch = at if update.backwards else at + update.wait
        if update.next_batch and update.next_batch <= at:
            self._take_batch(cluster, group, update, at)

    def _alarmed(self, update: SoftwareUpdate) -> bool:
        return bool(self._state.records.outcomes.alarms & set(update.alarms))

    def _take_batch(self, cluster: HyperPodRecord, group: GroupRecord, update: SoftwareUpdate, at: datetime) -> None:
        taken = update.take_batch()
        place = 0
        for node in group.present:
            if node.instance_id in taken:
                node.phase, node.software_attempts = Phase.UPDATING, 0
                node.due = at + times.REIMAGING + times.STAGGER * place
                text = f"Software update of EC2 Instance {node.instance_id} started in"
                self._journal.of_node(cluster, group, node, at, f"{text} {short_place_name(cluster, group)}")
                place += 1
        if not place:
            # All of them are gone meanwhile.
            update.next_batch = at + times.STAGGER

    def _advance(
        self, cluster: HyperPodRecord, group: GroupRecord, update: SoftwareUpdate, node: NodeRecord, at: datetime
    ) -> None:
        """Run the script of an instance that has its new root volume; one that goes back runs none here."""
        node.due = None
        if update.backwards:
            self._run(cluster, group, node, update.before, at)
        elif node.timing_out:
            self._scripts.time_out(cluster, group, node, at)
            self._fail(cluster, group, node, at)
        elif self._scripts.start(cluster, group, node, at):
            self._run(cluster, group, node, update.target, at)
        elif not node.timing_out:
            self._fail(cluster, group, node, at)

    def _run(
        self, cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord, software: Software, at: datetime
    ) -> None:
        node.phase, node.software, node.updated_at = Phase.RUNNING, software, at
        text = f"Software update of EC2 Instance {node.instance_id} completed in"
        self._journal.of_node(cluster, group, node, at, f"{text} {short_place_name(cluster, group)}")

    def _fail(self, cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord, at: datetime) -> None:
        """Try again, four times in all; an instance without a next moment has failed for good."""
        node.software_attempts += 1
        node.due = at + times.REIMAGING_AGAIN if node.software_attempts < ATTEMPTS else None
        text = f"Software update of EC2 Instance {node.instance_id} failed in {short_place_name(cluster, group)}"
        self._journal.of_node(cluster, group, node, at, text, failure=node.message)

    def _turn_back(self, cluster: HyperPodRecord, group: GroupRecord, update: SoftwareUpdate, at: datetime) -> None:
        update.turn_back()
        update.next_batch = at
        text = f"Software update of InstanceGroup {group.name} in Cluster {cluster.name} is rolled back"
        failed = next((node.message for node in group.present if node.phase is Phase.UPDATING and node.message), None)
        failure = failed or f"An alarm of {', '.join(update.alarms)} is in state ALARM."
        self._journal.of_group(cluster, group, at, text, failure=failure)

    def _end(self, cluster: HyperPodRecord, group: GroupRecord, update: SoftwareUpdate, at: datetime) -> None:
        update.next_batch = None
        update.status = "RollbackComplete" if update.backwards else "Succeeded"
        if update.status == "Succeeded":
            group.software = update.target
        text = f"Software update of InstanceGroup {group.name} in Cluster {cluster.name} ended: {update.status}"
        self._journal.of_group(cluster, group, at, text)


def _check_config(config: JsonObject) -> None:
    for size in config.get("RollingUpdatePolicy", {}).values():
        if size["Type"] == "CAPACITY_PERCENTAGE" and size["Value"] > 100:
            raise invalid(f"A batch of {size['Value']} percent of the capacity is not possible.")


def _size(asked: JsonObject | None, whole: int) -> int:
    """A batch as a count: everything at once where no size is asked for."""
    if asked is None:
        return max(whole, 1)
    count = asked["Value"] if asked["Type"] == "INSTANCE_COUNT" else whole * asked["Value"] // 100
    return max(int(count), 1)
