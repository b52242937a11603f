"""How instances come, work, fail, heal and go."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from infra.local.simulators.hyperpod import network, times
from infra.local.simulators.hyperpod.journal import place_name, short_place_name
from infra.local.simulators.hyperpod.records import (
    Course,
    GroupRecord,
    Health,
    HyperPodRecord,
    NodeRecord,
    Phase,
    RequestedNode,
)
from infra.local.simulators.hyperpod.scripts import LifecycleScripts
from infra.local.simulators.paging import HEXADECIMAL

if TYPE_CHECKING:
    from infra.local.simulators.hyperpod.journal import Journal
    from infra.local.simulators.hyperpod.placement import Place
    from infra.local.simulators.hyperpod.state import HyperPodState


class Nodes:
    """Moves instances from one phase to the next."""

    def __init__(self, state: HyperPodState, journal: Journal) -> None:
        self._state = state
        self._journal = journal
        self.scripts = LifecycleScripts(state, journal)

    def launch(
        self, cluster: HyperPodRecord, group: GroupRecord, requested: RequestedNode, place: Place, at: datetime
    ) -> None:
        """Start the instance of a requested node; raises NoInterface when EC2 refuses its interface."""
        instance_id = f"i-{self._state.mint(17, HEXADECIMAL)}"
        interface = network.make_interface(self._state.host, place.subnet, place.addresses, group, instance_id)
        node = NodeRecord(
            instance_id=instance_id,
            logical_id=requested.logical_id,
            instance_type=place.instance_type,
            subnet=place.subnet,
            addresses=place.addresses,
            interface_id=interface,
            launched_at=at,
            index=len(group.present),
            threads_per_core=group.threads_per_core,
            due=at + times.LIFECYCLE_AFTER,
            configured=dict(group.spec.get("KubernetesConfig", {})),
            software=group.software,
            replaces=requested.replaces,
            joins=not self._state.records.outcomes.stranger(cluster.name, group.name),
        )
        group.nodes.append(node)
        short = short_place_name(cluster, group)
        text = f"Successfully created Customer ENI for instance in {short}"
        self._journal.of_node(cluster, group, node, at, text, CustomerEni=interface)
        text = f"EC2 Instance {instance_id} successfully provisioned in {place_name(cluster, group)}"
        self._journal.of_node(cluster, group, node, at, text)
        if node.replaces:
            text = f"Instance {instance_id} is starting as part of instance replacement in {short}"
            self._journal.of_node(cluster, group, node, at, text)

    def step(self, cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord, at: datetime) -> None:
        """Do what is due."""
        if node.interrupted_until and node.interrupted_until <= at:
            node.interrupted_until = None
            self.replace(cluster, group, node, at)
        if node.health and node.health.due and node.health.due <= at:
            self._step_health(cluster, group, node, node.health, at)
        if node.configure_at and node.configure_at <= at:
            self._configure(cluster, group, node, at)
        # What an update of its software makes of it, that update decides.
        if node.due and node.due <= at and node.phase is not Phase.UPDATING:
            self._step_phase(cluster, group, node, at)

    def leave(self, cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord, at: datetime) -> None:
        """Terminate an instance."""
        node.phase, node.leaving_since, node.due = Phase.LEAVING, at, at + times.LEAVING
        node.health = node.interrupted_until = node.configure_at = None
        where = short_place_name(cluster, group)
        text = f"Termination of EC2 Instance {node.instance_id} is currently in progress in {where}"
        self._journal.of_node(cluster, group, node, at, text)

    def replace(self, cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord, at: datetime) -> None:
        """Terminate an instance and ask for another."""
        self.leave(cluster, group, node, at)
        if len(group.present) + len(group.requested) < group.target:
            group.requested.append(RequestedNode(f"node-{self._state.mint(12)}", at, node.instance_id))
            group.next_attempt = at

    def remove(self, cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord) -> None:
        """Take an instance and its interface away."""
        network.remove_interface(self._state.host, node.interface_id)
        group.nodes.remove(node)
        cluster.former_nodes[node.logical_id] = group.name

    def _step_phase(self, cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord, at: datetime) -> None:
        node.due = None
        if node.phase is Phase.LEAVING:
            text = f"Customer ENI successfully deleted for EC2 Instance {node.instance_id} in"
            self._journal.of_node(cluster, group, node, at, f"{text} {short_place_name(cluster, group)}")
            self.remove(cluster, group, node)
        elif node.phase in (Phase.STARTING, Phase.FAILED):
            self._boot(cluster, group, node, at)
        elif node.phase is Phase.JOINING:
            self._join(cluster, group, node, at)
        elif node.phase is Phase.CHECKING:
            self._end_check(cluster, group, node, at)

    def _boot(self, cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord, at: datetime) -> None:
        """Check EFA, then run the lifecycle script; what fails is tried again in ten minutes."""
        if node.timing_out:
            self.scripts.time_out(cluster, group, node, at)
            self._fail(cluster, group, node, at)
            return
        node.phase = Phase.STARTING
        if network.has_efa(node.instance_type) and not self._traffic_flows(group):
            prefix = "Instance replacement failed: " if node.replaces else ""
            node.message = f"{prefix}{network.EFA_FAILURE}"
            self._fail(cluster, group, node, at)
        elif self.scripts.start(cluster, group, node, at):
            node.phase, node.due = Phase.JOINING, at + times.RUNNING_AFTER + times.STAGGER * node.index
        elif not node.timing_out:
            self._fail(cluster, group, node, at)

    def _traffic_flows(self, group: GroupRecord) -> bool:
        look = partial(network.efa_traffic_flows, self._state.host.ec2(), group)
        return self._state.once(" ".join(group.security_groups), look)

    def _fail(self, cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord, at: datetime) -> None:
        node.phase = Phase.FAILED
        node.due = at + times.RETRY_EVERY if cluster.continuous else None
        text = f"Instance creation in {place_name(cluster, group)} failed"
        self._journal.of_node(cluster, group, node, at, text, failure=node.message)

    def _join(self, cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord, at: datetime) -> None:
        if group.spec.get("OnStartDeepHealthChecks"):
            node.phase, node.check, node.due = Phase.CHECKING, "InProgress", at + times.DEEP_HEALTH_CHECK
        else:
            self._run(cluster, group, node, at)

    def _run(self, cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord, at: datetime) -> None:
        node.phase, node.running_since = Phase.RUNNING, at
        where = short_place_name(cluster, group)
        text = f"Instance creation {node.instance_id} in {where} completed successfully"
        if node.replaces:
            done = "completed successfully as part of instance replacement in"
            text = f"Instance {node.instance_id} creation {done} {where}"
        self._journal.of_node(cluster, group, node, at, text)

    def _end_check(self, cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord, at: datetime) -> None:
        planned = self._state.records.outcomes.check(cluster.name, group.name)
        if planned is None:
            node.check = "Passed"
            self._run(cluster, group, node, at)
            return
        node.check, node.phase = "Failed", Phase.FAILED
        node.message = f"Deep health checks failed on instance {node.instance_id}."
        text = f"Instance creation {node.instance_id} in {short_place_name(cluster, group)} failed"
        self._journal.of_node(cluster, group, node, at, text, failure=node.message)
        node.health = Health("DeepHealthCheckFailed", planned.recovery, Course.SILENT, None)
        self._detect(cluster, node, node.health, at)

    def _configure(self, cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord, at: datetime) -> None:
        wanted = dict(group.spec.get("KubernetesConfig", {}))
        lost = set(node.configured.get("Labels", {})) - set(wanted.get("Labels", {}))
        node.former_labels = (node.former_labels | lost) - set(wanted.get("Labels", {}))
        node.configured, node.configure_at = wanted, None
        text = f"Successfully updated Kubernetes config for instance {node.instance_id} in"
        self._journal.of_node(cluster, group, node, at, f"{text} {short_place_name(cluster, group)}")

    # -- health

    def _step_health(
        self, cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord, health: Health, at: datetime
    ) -> None:
        health.due = None
        if health.course is Course.SILENT:
            self._detect(cluster, node, health, at)
        elif health.course is Course.REBOOTING:
            self._end_reboot(cluster, group, node, at)
        elif health.recovery == "Replace":
            self.replace(cluster, group, node, at)
        else:
            health.course, health.due = Course.REBOOTING, at + times.REBOOT
            text = f"Reboot of EC2 Instance {node.instance_id} is currently in progress on"
            self._journal.of_node(cluster, group, node, at, f"{text} {short_place_name(cluster, group)}")

    def _detect(self, cluster: HyperPodRecord, node: NodeRecord, health: Health, at: datetime) -> None:
        health.course = Course.DETECTED
        health.due = at + times.RECOVERY_AFTER if cluster.recovers else None
        self._journal.health(cluster, node, at)

    def _end_reboot(self, cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord, at: datetime) -> None:
        """A rebooted instance is the same one; its lifecycle script does not run again (facts 1.6)."""
        node.health = None
        text = f"Instance reboot {node.instance_id} in {short_place_name(cluster, group)} completed successfully"
        self._journal.of_node(cluster, group, node, at, text)
        self._journal.health(cluster, node, at)
        if node.phase is Phase.FAILED:
            node.phase = Phase.JOINING
            self._join(cluster, group, node, at)
