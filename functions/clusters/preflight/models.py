"""What a request to create something is checked by: what it is for, and what was found around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Network

from functions.capacity.preflight.models import Facts as CapacityFacts
from functions.capacity.preflight.models import Needed as CapacityNeeds
from functions.capacity.preflight.models import Quota
from functions.catalog.models import Zone
from functions.core.cluster import ChosenRanges, ClusterNames
from functions.network.ranges.models import RangesInUse
from functions.network.reuse.models import NOBODY, Named
from functions.network.subnets.models import Subnet


@dataclass(frozen=True)
class Target:
    """The cluster that a request is for.

    `vpc_id` is the VPC that it takes over, or was found in. `tried` says that an operation on its HyperPod cluster has
    ended before: nodes of it may hold addresses. `named` are the other clusters that whoever asks may learn the tag of,
    `chosen_ranges` what was chosen for its own VPC.
    """

    tag: str
    account_id: str
    region: str
    names: ClusterNames
    vpc_id: str | None = None
    tried: bool = False
    named: Named = NOBODY
    chosen_ranges: ChosenRanges | None = None


@dataclass(frozen=True)
class NetworkUse:
    """How many of the region's VPCs, Elastic IP addresses and network interfaces there are."""

    vpcs: int
    elastic_ips: int
    interfaces: int


@dataclass(frozen=True)
class StackFound:
    """A stack of the name that the foundation is to get; `ours` when it bears this cluster's tags."""

    name: str
    stack_id: str
    status: str
    ours: bool


@dataclass(frozen=True)
class PartFound:
    """What exists under a name that a part of the foundation is to get.

    `ours` says whether it bears this cluster's tags, and is None where nobody may look at them.
    """

    kind: str
    name: str
    ours: bool | None
    whose: str = ""


@dataclass(frozen=True)
class HyperPodFound:
    """A HyperPod cluster of the name that this one is to get; `groups` are name, types and target of each."""

    name: str
    arn: str
    status: str
    eks_arn: str
    groups: frozenset[tuple[str, tuple[str, ...], int]]
    instances: int


@dataclass(frozen=True)
class Leftovers:
    """What stands of the names that a request would give."""

    stack: StackFound | None = None
    parts: Sequence[PartFound] = ()
    hyperpod: HyperPodFound | None = None


@dataclass(frozen=True)
class SubnetsFound:
    """Subnets that a request's groups may stand in: those of the cluster, and those that it names.

    `standing` are all subnets of the cluster's VPC, `ranges` the VPC's ranges; none of either where it is not known.
    """

    own: Sequence[Subnet]
    given: Sequence[Subnet]
    standing: Sequence[Subnet] = ()
    ranges: Sequence[IPv4Network] = ()

    @property
    def vpc_id(self) -> str | None:
        """Name the cluster's VPC."""
        return next((subnet.vpc_id for subnet in (*self.own, *self.standing)), None)


@dataclass(frozen=True)
class Needed:
    """What has to be gathered for a request.

    `parts` are the kinds and names that a new foundation gives to what it makes, `subnet_ids` those that groups name.
    """

    capacity: CapacityNeeds | None = None
    zones: bool = False
    kubernetes_versions: bool = False
    network_limits: Sequence[str] = ()
    stack: bool = False
    parts: Sequence[tuple[str, str]] = ()
    hyperpod: bool = False
    subnets: bool = False
    subnet_ids: Sequence[str] = ()
    ranges_in_use: bool = False


@dataclass(frozen=True)
class Facts:
    """Everything gathered for one request; None where nothing was needed, or nobody answered.

    `network_limits` are quotas by their codes.
    """

    capacity: CapacityFacts = field(default_factory=CapacityFacts)
    zones: Sequence[Zone] | None = None
    kubernetes_versions: Sequence[str] | None = None
    network_limits: Mapping[str, Quota] | None = None
    network_use: NetworkUse | None = None
    leftovers: Leftovers | None = None
    subnets: SubnetsFound | None = None
    ranges_in_use: RangesInUse | None = None
