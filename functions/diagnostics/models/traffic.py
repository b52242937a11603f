"""What traffic of a VPC hangs on beside routes and security groups: name resolution, network ACLs, endpoints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from functions.network.subnets.models import S3Endpoint


@dataclass(frozen=True)
class AclRule:
    """A rule of a network ACL for IPv4; `ports` is None where it is for all, `protocol` is EC2's number, -1 for all."""

    number: int
    outbound: bool
    allows: bool
    protocol: str
    cidr: str
    ports: tuple[int, int] | None = None


@dataclass(frozen=True)
class NetworkAcl:
    """A network ACL with the subnets that it is for; the rule with the lowest number that fits decides.

    `other_numbers` are those that rules for IPv6 take, each with whether it is one for outbound traffic.
    """

    acl_id: str
    subnet_ids: frozenset[str]
    rules: tuple[AclRule, ...]
    other_numbers: frozenset[tuple[bool, int]] = frozenset()


@dataclass(frozen=True)
class VpcDns:
    """Whether names are resolved in a VPC, and whether what stands in it has names."""

    vpc_id: str
    support: bool
    hostnames: bool


@dataclass(frozen=True)
class Endpoints:
    """The endpoints of a VPC: for S3, and the services of AWS, without their prefix, that an interface answers for.

    `services` are those that are reached under their own names; interfaces for the `nameless` have no private DNS.
    `subnets` says which of the `services` have an interface in a subnet, by its id.
    """

    services: frozenset[str] = frozenset()
    nameless: frozenset[str] = frozenset()
    s3: tuple[S3Endpoint, ...] = ()
    subnets: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def interfaces(self) -> frozenset[str]:
        """Name all services that an interface is there for."""
        return self.services | self.nameless
