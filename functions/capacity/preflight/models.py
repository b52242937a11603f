"""Facts that the checks of a request about capacity decide by, as they were gathered; None where nobody answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from functions.capacity.models import InstanceGroup


@dataclass(frozen=True)
class ReservedCapacity:
    """One reservation of a training plan: instances of one type in one zone for a time."""

    instance_type: str
    zone: str


@dataclass(frozen=True)
class TrainingPlan:
    """A training plan as it stands; `available` instances of it are in use by nobody."""

    arn: str
    name: str
    status: str
    available: int
    targets: tuple[str, ...]
    capacities: tuple[ReservedCapacity, ...]
    starts_at: datetime | None = None
    ends_at: datetime | None = None

    @property
    def types(self) -> list[str]:
        """Name the instance types of the plan's reservations."""
        return sorted({capacity.instance_type for capacity in self.capacities})


@dataclass(frozen=True)
class Quota:
    """A service quota: its name, its code and how much it allows."""

    name: str
    code: str
    value: float


@dataclass(frozen=True)
class SecurityGroup:
    """What a security group lets through; `owner` is the tag of the cluster of ours that it was made for.

    `names_itself` says that a rule for outbound traffic names the group, not a range only; `leaves` that HTTPS gets to
    everywhere. `admits` are the groups whose members reach the kubelets of its own.
    """

    group_id: str
    vpc_id: str
    from_itself: bool
    to_itself: bool
    owner: str | None = None
    names_itself: bool = True
    leaves: bool = True
    admits: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Script:
    """A lifecycle script as it lies in S3: its size in bytes, and how it begins."""

    size: int
    content: bytes


@dataclass(frozen=True)
class Placed:
    """A group of the request with the zone its instances go to, None for that of a subnet yet to be looked up.

    `field` is where it stands in the request.
    """

    group: InstanceGroup
    field: str
    zone: str | None

    def at(self, member: str) -> str:
        """Give the path of a member of the group."""
        return f"{self.field}.{member}"

    def beside(self, member: str) -> str:
        """Give the path of what stands beside the groups."""
        place, dot, _ = self.field.rpartition(".")
        return f"{place}{dot}{member}"


@dataclass(frozen=True)
class Facts:
    """Everything gathered for one request.

    `offerings` maps an EC2 instance type to the zones that offer it; a type that EC2 does not list is not among them.
    `plans` and `scripts` map what was asked for to what was found, None when there is none. `used` counts the
    instances of the account's clusters by the name of the quota they count against. `at` is when they were gathered.
    """

    offerings: Mapping[str, frozenset[str]] | None = None
    plans: Mapping[str, TrainingPlan | None] | None = None
    quotas: Mapping[str, Quota] | None = None
    used: Mapping[str, int] | None = None
    security_groups: Mapping[str, SecurityGroup | None] | None = None
    scripts: Mapping[str, Script | None] | None = None
    at: datetime | None = None


@dataclass(frozen=True)
class Needed:
    """What has to be gathered for a request; some quotas are known by name, others by code."""

    types: Sequence[str]
    plans: Sequence[str]
    quotas: Sequence[str]
    quota_codes: Sequence[str]
    security_groups: Sequence[str]
    scripts: Sequence[str]
