"""What traffic of a VPC hangs on beside routes and security groups: name resolution, network ACLs, endpoints."""

from __future__ import annotations

from dataclasses import dataclass


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
    """A network ACL with the subnets that it is for; the rule with the lowest number that fits decides."""

    acl_id: str
    subnet_ids: frozenset[str]
    rules: tuple[AclRule, ...]


@dataclass(frozen=True)
class Traffic:
    """How names are resolved in a VPC, its network ACLs, and the services that an interface in it answers for."""

    dns_support: bool
    dns_hostnames: bool
    acls: tuple[NetworkAcl, ...] = ()
    services: frozenset[str] = frozenset()

    def acl_of(self, subnet_id: str) -> NetworkAcl | None:
        """Give the network ACL of a subnet: it has exactly one."""
        return next((each for each in self.acls if subnet_id in each.subnet_ids), None)
