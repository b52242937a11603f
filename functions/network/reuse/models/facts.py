"""What was found of the resources that a cluster is to take over.

In `Facts` a mapping is None where nothing was looked up; in a mapping None stands for a resource that does not exist.
The `owner` of a resource is the tag of the cluster of ours that it was made for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from ipaddress import IPv4Network
from typing import Final

from pydantic import JsonValue

from functions.capacity.preflight.models import SecurityGroup
from functions.network.subnets.models import Subnet, Vpc

Document = Mapping[str, JsonValue]


@dataclass(frozen=True)
class Network:
    """A VPC: its associated ranges, the primary one first, how it resolves names, what it consists of, its `owner`."""

    ranges: tuple[IPv4Network, ...]
    dns_support: bool
    dns_hostnames: bool
    parts: Vpc
    owner: str | None = None


@dataclass(frozen=True)
class Role:
    """A role: whom it trusts, the documents of all its policies, the ARNs of those attached, and its `owner`."""

    arn: str
    trust: Document
    documents: tuple[Document, ...]
    attached: frozenset[str]
    owner: str | None = None


@dataclass(frozen=True)
class Bucket:
    """A bucket; one that S3 denies is not `open_to_us`, and then nothing else is known of it.

    `public` says that its policy or its access control list lets anybody in.
    """

    open_to_us: bool
    region: str = ""
    public: bool = False
    owner: str | None = None


class Kind(StrEnum):
    """What can be taken over, as messages call it."""

    VPC = "VPC"
    SUBNET = "subnet"
    SECURITY_GROUP = "security group"
    ROLE = "role"
    BUCKET = "bucket"


Part = tuple[Kind, str]


@dataclass(frozen=True)
class Neighbour:
    """Another cluster: the parts that were made for it, and those that it took over; roles by their names.

    `tag` is None for a caller who is not to learn which cluster it is.
    """

    tag: str | None
    made: frozenset[Part]
    taken: frozenset[Part]


@dataclass(frozen=True)
class Named:
    """The clusters that somebody may learn the tag of: `tags`, or also those that only AWS still knows, if `every`."""

    tags: frozenset[str] = frozenset()
    every: bool = False

    def of(self, owner: str) -> str | None:
        """Give the tag of a cluster, None for whoever is not to learn it."""
        return owner if self.every or owner in self.tags else None


NOBODY: Final = Named()


@dataclass(frozen=True)
class Facts:
    """Everything that was found; `strangers` are subnets that were named and are not in the VPC.

    `neighbours` are the other clusters that the ledger knows, `named` those that whoever asks may learn the tag of.
    """

    networks: Mapping[str, Network | None] | None = None
    strangers: Mapping[str, Subnet] = field(default_factory=dict)
    security_groups: Mapping[str, SecurityGroup | None] | None = None
    roles: Mapping[str, Role | None] = field(default_factory=dict)
    buckets: Mapping[str, Bucket | None] | None = None
    neighbours: Sequence[Neighbour] = ()
    named: Named = NOBODY

    def network(self, vpc_id: str) -> Network | None:
        """Give the VPC; None when it does not exist or was not looked up."""
        return (self.networks or {}).get(vpc_id)
