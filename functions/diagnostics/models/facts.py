"""What is gathered for a diagnosis. Every part has three values: present, absent, or unread with the reason why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, Never, TypeVar

from pydantic import JsonValue

from functions.capacity.preflight.models import Quota, Script, SecurityGroup, TrainingPlan
from functions.clusters.importing.models.found import FoundEks
from functions.core.cluster import ClusterSpec, DesiredGroup
from functions.core.errors import ProblemBody
from functions.core.ledger.models import Operation
from functions.diagnostics.models.traffic import Endpoints, NetworkAcl, VpcDns
from functions.network.subnets.models import Vpc

Value = TypeVar("Value", covariant=True)


@dataclass(frozen=True)
class Seen(Generic[Value]):
    """A part as it was read: `value` is None where there is none, `why` says why it could not be read.

    What was not `asked` depends on something that is not there, or nobody wanted to know it.
    """

    value: Value | None = None
    why: str | None = None
    asked: bool = True

    @property
    def known(self) -> bool:
        """Say whether it was asked and answered."""
        return self.asked and self.why is None

    @property
    def absent(self) -> bool:
        """Say that it was looked for, and is not there."""
        return self.known and self.value is None


@dataclass(frozen=True)
class Recorded:
    """A condition as the ledger has it."""

    status: str
    message: str


@dataclass(frozen=True)
class LedgerSeen:
    """What the ledger has: the newest operation, the newest one that failed, and whether a later one made that good."""

    newest: Operation | None = None
    failed: Operation | None = None
    made_good_by: str | None = None
    busy: tuple[str, ...] = ()
    conditions: Mapping[str, Recorded] = field(default_factory=dict)

    def says(self, condition: str) -> bool:
        """Say whether a condition is recorded as true."""
        return condition in self.conditions and self.conditions[condition].status == "True"


@dataclass(frozen=True)
class StackSeen:
    """The foundation stack; `failure` is the first real failure among its events, if it has failed."""

    stack_id: str
    status: str
    outputs: Mapping[str, str] = field(default_factory=dict)
    failure: Seen[ProblemBody] = Seen(asked=False)


@dataclass(frozen=True)
class Issue:
    """What EKS itself complains of."""

    code: str
    message: str
    resources: tuple[str, ...] = ()


@dataclass(frozen=True)
class EksSeen:
    """The EKS cluster, with what EKS complains of."""

    found: FoundEks
    issues: tuple[Issue, ...] = ()

    @property
    def answers(self) -> bool:
        """Say whether its parts can be read."""
        return self.found.status in ("ACTIVE", "UPDATING")


@dataclass(frozen=True)
class GroupSeen:
    """An instance group as it stands; `desired` is what HyperPod has been asked for."""

    desired: DesiredGroup
    current: int
    status: str = ""
    execution_role_arn: str = ""
    security_group_ids: tuple[str, ...] = ()
    subnet_ids: tuple[str, ...] = ()

    @property
    def missing(self) -> int:
        """Count the instances still to come."""
        return max(0, self.desired.instance_count - self.current)


@dataclass(frozen=True)
class HyperPodSeen:
    """The HyperPod cluster; events there are with continuous provisioning only."""

    name: str
    arn: str
    status: str
    failure: str
    eks_arn: str
    continuous: bool
    groups: tuple[GroupSeen, ...] = ()


@dataclass(frozen=True)
class Event:
    """A failure that HyperPod reported: the newest of a group, and how many there were of that group."""

    at: datetime
    group: str
    instance_id: str
    words: str
    count: int = 1


@dataclass(frozen=True)
class Log:
    """The end of an instance's lifecycle log; `lines` is None where there is no such stream."""

    group: str
    stream: str
    lines: tuple[str, ...] | None


@dataclass(frozen=True)
class EventsSeen:
    """The failures of the last days, the newest of each group, with how many groups were not looked at closer."""

    events: tuple[Event, ...] = ()
    more_groups: int = 0


@dataclass(frozen=True)
class EntrySeen:
    """The access entry of a role; `groups` is None where it has none."""

    groups: tuple[str, ...] | None
    policies: tuple[str, ...] = ()


@dataclass(frozen=True)
class AddonSeen:
    """An add-on as it stands."""

    name: str
    status: str
    version: str
    issues: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Node:
    """An instance as HyperPod lists it."""

    instance_id: str
    group: str
    status: str
    message: str = ""


@dataclass(frozen=True)
class NodesSeen:
    """The first instances of a HyperPod cluster; `complete` says that there are no more."""

    nodes: tuple[Node, ...] = ()
    complete: bool = True


_NOBODY: Seen[Never] = Seen(asked=False)


@dataclass(frozen=True)
class Facts:
    """Everything that was gathered of one cluster at one moment; `trusts` are the trust policies of execution roles.

    Mappings are by ARN, name or place; each of their values was looked for, and is None where it is not there.
    `nat_subnets` names the subnet of each NAT gateway of the VPC that stands in one.
    """

    spec: ClusterSpec
    at: datetime
    ledger: LedgerSeen = LedgerSeen()
    egress: tuple[str, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    stack: Seen[StackSeen] = _NOBODY
    eks: Seen[EksSeen] = _NOBODY
    hyperpod: Seen[HyperPodSeen] = _NOBODY
    vpc: Seen[Vpc] = _NOBODY
    nat_subnets: Mapping[str, str] = field(default_factory=dict)
    dns: Seen[VpcDns] = _NOBODY
    acls: Seen[tuple[NetworkAcl, ...]] = _NOBODY
    endpoints: Seen[Endpoints] = _NOBODY
    security_groups: Seen[Mapping[str, SecurityGroup]] = _NOBODY
    trusts: Mapping[str, Seen[Mapping[str, JsonValue]]] = field(default_factory=dict)
    entries: Mapping[str, Seen[EntrySeen]] = field(default_factory=dict)
    addon_names: Seen[tuple[str, ...]] = _NOBODY
    addons: Mapping[str, Seen[AddonSeen]] = field(default_factory=dict)
    events: Seen[EventsSeen] = _NOBODY
    log: Seen[Log] = _NOBODY
    nodes: Seen[NodesSeen] = _NOBODY
    scripts: Mapping[str, Seen[Script]] = field(default_factory=dict)
    quotas: Seen[Mapping[str, Quota]] = _NOBODY
    plans: Mapping[str, Seen[TrainingPlan]] = field(default_factory=dict)
