"""What a deletion was asked for, and what it finds of a cluster in AWS."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network

from pydantic import BaseModel, ConfigDict


class Deletion(BaseModel):
    """What a caller asked for beside the deletion itself; it is kept as the operation's request.

    `retain_resources` are logical ids of the foundation stack that its deletion is to leave alone.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    delete_bucket: bool = False
    skip_workloads: bool = False
    retain_resources: list[str] = []


@dataclass(frozen=True)
class Interface:
    """A network interface as it stands; one that is not `available` is attached to something."""

    interface_id: str
    subnet_id: str
    description: str
    available: bool
    instance_id: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Group:
    """A security group of a VPC."""

    group_id: str
    name: str
    tags: Mapping[str, str]


@dataclass(frozen=True)
class Part:
    """A subnet, route table or endpoint of a VPC, as far as it can stand in the way: its id, and what it is."""

    part_id: str
    what: str
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class VpcContents:
    """What stands in a VPC."""

    interfaces: tuple[Interface, ...]
    groups: tuple[Group, ...]
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Owner:
    """The cluster for which a network is cleared, by the name of its EKS cluster.

    `given` are the ids of security groups that were there before it and that it was given; `stands` says that an EKS
    cluster of that name stands, and `foreign` that this one is not the control plane's.
    """

    eks_cluster: str
    given: frozenset[str] = frozenset()
    stands: bool = False
    foreign: bool = False


@dataclass(frozen=True)
class StackResource:
    """A resource of the foundation stack as CloudFormation lists it."""

    logical_id: str
    type: str
    physical_id: str
    status: str
    reason: str = ""


@dataclass(frozen=True)
class Blocker:
    """Something that is not ours to delete and stands in the way: what it is, whose, and how it goes."""

    resource: str
    message: str
    remedy: str


@dataclass(frozen=True)
class StackSeen:
    """The foundation stack before a deletion."""

    stack_id: str
    status: str
    ours: bool
    resources: tuple[StackResource, ...]

    @property
    def vpc_id(self) -> str:
        """Name the VPC of the stack; empty when it has none."""
        found = (each for each in self.resources if each.type == "AWS::EC2::VPC" and each.physical_id)
        return next((each.physical_id for each in found if each.status != "DELETE_COMPLETE"), "")


@dataclass(frozen=True)
class HyperPodSeen:
    """The HyperPod cluster before a deletion; one that is not `ours` is left alone."""

    arn: str
    status: str
    instances: int
    ours: bool


@dataclass(frozen=True)
class BucketSeen:
    """The cluster's bucket before a deletion; one that is not `ours` is left alone."""

    ours: bool


@dataclass(frozen=True)
class SubnetSeen:
    """A compute subnet of ours before a deletion."""

    subnet_id: str
    name: str
    cidr: IPv4Network
    dedicated_to: str


@dataclass(frozen=True)
class Volume:
    """A disk that a claim in the cluster asked for; `claim` is `<namespace>/<name>`."""

    volume_id: str
    size_gib: int
    claim: str


@dataclass(frozen=True)
class Seen:
    """What was found before a deletion; None is absent, and what is in `unchecked` is unknown, with the reason.

    `eks_foreign` says that the EKS cluster of the name is not the control plane's.
    `people` are the principals that were let in, `namespaces` those in an imported cluster that are ours.
    """

    stack: StackSeen | None = None
    eks_status: str | None = None
    eks_foreign: bool = False
    hyperpod: HyperPodSeen | None = None
    subnets: tuple[SubnetSeen, ...] = ()
    interfaces: tuple[Interface, ...] = ()
    volumes: tuple[Volume, ...] = ()
    addons: tuple[str, ...] = ()
    chains: tuple[str, ...] = ()
    bucket: BucketSeen | None = None
    log_groups: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    unchecked: Mapping[str, str] = field(default_factory=dict)
