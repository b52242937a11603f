"""What tests and the demo decide about the simulated cloud: `host.world.hyperpod.conditions`.

Everything that AWS, hardware or a lifecycle script may do to a cluster is chosen here, and nowhere else. Clusters and
groups are named before they exist, so that a creation meets what was planned for it; the group `*` is any group. What a
method changes is in the records, and therefore in snapshots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal

from infra.local.simulators import neighbours
from infra.local.simulators.hyperpod import quotas, times
from infra.local.simulators.hyperpod.outcomes import CapacityChange, CheckOutcome, ScriptOutcome
from infra.local.simulators.hyperpod.plan_records import OfferingRecord, Reservation
from infra.local.simulators.hyperpod.records import Course, Health, HyperPodRecord, NodeRecord, Phase

if TYPE_CHECKING:
    from infra.local.simulators.hyperpod.nodes import Nodes
    from infra.local.simulators.hyperpod.plans import Plans
    from infra.local.simulators.hyperpod.records import GroupRecord
    from infra.local.simulators.hyperpod.state import HyperPodState

Recovery = Literal["Reboot", "Replace"]
FOR_HYPERPOD = ("hyperpod-cluster",)


class Conditions:
    """The test-side surface of the HyperPod simulator."""

    def __init__(self, state: HyperPodState, plans: Plans, nodes: Nodes, settle: Callable[[], None]) -> None:
        self._state = state
        self._plans = plans
        self._nodes = nodes
        self._settle = settle
        self.hold: Callable[[], AbstractContextManager[None]] = self._settled
        """How a change is kept apart from calls that are answered meanwhile; a host sets its own."""

    @contextmanager
    def _settled(self) -> Iterator[None]:
        self._settle()
        yield

    # -- capacity and quotas

    def limit_capacity(
        self, instance_type: str, zone: str, count: int | None, *, spot: bool = False, at: datetime | None = None
    ) -> None:
        """Limit how many instances of a type a zone (by name) has, now or from a moment on; None is no limit.

        On-Demand and Spot are pools of their own; a training plan's instances come from neither. Groups that are short
        try again every ten minutes.
        """
        with self.hold():
            change = CapacityChange(at or self._state.now(), spot, (instance_type, zone), count)
            if at is None:
                self._state.records.change_capacity(change)
            else:
                self._state.records.outcomes.capacity.append(change)

    def set_quota(self, name: str, value: int) -> None:
        """Set a quota by its name, such as `ml.p5.48xlarge for cluster usage`; Service Quotas shows the same."""
        if name not in set(quotas.names()):
            raise ValueError(f"no quota is named {name!r}; infra/local/simulators/hyperpod/quotas.py names them")
        with self.hold():
            self._state.records.quotas[name] = value

    # -- training plans

    def offer_training_plan(
        self,
        instance_type: str,
        count: int,
        zone: str,
        *,
        starts_at: datetime,
        hours: int,
        targets: Sequence[str] = FOR_HYPERPOD,
        fee: str = "1000.00",
    ) -> str:
        """Let SearchTrainingPlanOfferings find an offering in a zone (by name); gives its id.

        It is on sale from 56 days to half an hour before its start, and for an hour after a search first showed it.
        """
        with self.hold():
            offering_id = f"tpo-{self._state.mint(17, '0123456789abcdef')}"
            reservation = self._reservation(instance_type, count, zone, starts_at, hours, targets, fee)
            self._state.records.offerings[offering_id] = OfferingRecord(offering_id, reservation)
            return offering_id

    def make_training_plan(
        self,
        name: str,
        instance_type: str,
        count: int,
        zone: str,
        *,
        starts_at: datetime | None = None,
        hours: int = 168,
        targets: Sequence[str] = FOR_HYPERPOD,
    ) -> str:
        """Make a plan in a zone (by name) as if it had been bought; it starts now unless told otherwise. Gives its ARN.

        HyperPod takes its instances back one hour before the plan ends.
        """
        with self.hold():
            start = starts_at or self._state.now()
            reservation = self._reservation(instance_type, count, zone, start, hours, targets, "1000.00")
            return self._plans.make(name, reservation, []).arn

    def _reservation(
        self, instance_type: str, count: int, zone: str, start: datetime, hours: int, targets: Sequence[str], fee: str
    ) -> Reservation:
        zone_id = neighbours.zones(self._state.host.ec2())[zone]
        end = start + timedelta(hours=hours)
        return Reservation(instance_type, count, zone, zone_id, start, end, tuple(targets), fee)

    # -- lifecycle scripts, deep health checks, joining

    def fail_lifecycle_scripts(
        self, cluster: str, group: str, *, exit_code: int = 1, log: Sequence[str] = (), times: int | None = None
    ) -> None:
        """Let a group's next scripts (all, or so many) end with an exit code, writing these lines before."""
        with self.hold():
            self._state.records.outcomes.scripts[cluster, group] = ScriptOutcome(exit_code, tuple(log), times)

    def hang_lifecycle_scripts(
        self, cluster: str, group: str, *, log: Sequence[str] = (), times: int | None = None
    ) -> None:
        """Let a group's next scripts (all, or so many) never end; HyperPod gives each up after an hour."""
        with self.hold():
            self._state.records.outcomes.scripts[cluster, group] = ScriptOutcome(None, tuple(log), times)

    def mend_lifecycle_scripts(self, cluster: str, group: str) -> None:
        """Let a group's scripts succeed again; an instance that failed is tried again within ten minutes."""
        with self.hold():
            self._state.records.outcomes.scripts.pop((cluster, group), None)

    def fail_deep_health_checks(
        self, cluster: str, group: str, *, recovery: Recovery = "Replace", times: int | None = 1
    ) -> None:
        """Let a group's next deep health checks (so many, or all with None) fail, calling for this recovery."""
        with self.hold():
            self._state.records.outcomes.checks[cluster, group] = CheckOutcome(recovery, times)

    def keep_from_joining(self, cluster: str, group: str, times: int = 1) -> None:
        """Let a group's next instances run and never become nodes of the EKS cluster."""
        with self.hold():
            self._state.records.outcomes.strangers[cluster, group] = times

    # -- software

    def release_image(self, version: str) -> None:
        """Publish a newer release of HyperPod's images; what runs an older one has an update available."""
        with self.hold():
            self._state.records.releases.append(version)

    def raise_alarm(self, name: str) -> None:
        """Put a CloudWatch alarm into state ALARM: a software update that watches it is rolled back."""
        with self.hold():
            self._state.records.outcomes.alarms.add(name)

    # -- single nodes

    def break_node(
        self, instance_id: str, *, recovery: Recovery = "Replace", fault: str = "NvidiaErrorTerminate"
    ) -> None:
        """Let a running node become faulty; the health monitoring agent sees it half a minute later.

        The agent runs on accelerated types only: nothing notices a fault of any other node (facts 2.3).
        """
        with self.hold():
            _, _, node = self._running(instance_id)
            due = self._state.now() + times.DETECTION if node.facts.accelerator_resource else None
            node.health = Health(fault, recovery, Course.SILENT, due)

    def interrupt_spot(self, instance_id: str, *, notice: bool = True) -> None:
        """Let EC2 reclaim a running Spot instance, two minutes after its notice or at once."""
        with self.hold():
            cluster, group, node = self._running(instance_id)
            if not group.spot:
                raise ValueError(f"{instance_id} is not a Spot instance")
            if notice:
                node.interrupted_until = self._state.now() + times.INTERRUPTION_NOTICE
            else:
                self._nodes.replace(cluster, group, node, self._state.now())

    def ask_recovery(self, instance_id: str, recovery: Recovery) -> None:
        """Do what a health label set by hand asks for: it needs NodeRecovery Automatic (facts 2.4)."""
        found = self._find(instance_id)
        if found is None or not found[0].recovers:
            return
        node = found[2]
        if node.health is None:
            node.health = Health("", recovery, Course.DETECTED, self._state.now() + times.RECOVERY_AFTER)

    def _running(self, instance_id: str) -> tuple[HyperPodRecord, GroupRecord, NodeRecord]:
        found = self._find(instance_id)
        if found is None:
            raise ValueError(f"no instance {instance_id} is running")
        return found

    def _find(self, instance_id: str) -> tuple[HyperPodRecord, GroupRecord, NodeRecord] | None:
        for cluster in self._state.records.clusters.values():
            for group, node in cluster.nodes():
                if node.instance_id == instance_id and node.phase is Phase.RUNNING and not cluster.deleted_at:
                    return cluster, group, node
        return None
