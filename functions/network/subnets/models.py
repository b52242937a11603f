"""A VPC as it stands, as far as compute subnets are concerned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network


@dataclass(frozen=True)
class Subnet:
    """A subnet as it stands."""

    subnet_id: str
    vpc_id: str
    zone: str
    zone_id: str
    cidr: IPv4Network
    available_addresses: int
    tags: Mapping[str, str]


@dataclass(frozen=True)
class Route:
    """Where a route leads; it is not active when its target is gone (EC2's `blackhole`)."""

    target: str
    active: bool = True


@dataclass(frozen=True)
class RouteTable:
    """A route table as it stands; `associations` maps the subnets that use it to the ids by which they do."""

    route_table_id: str
    associations: Mapping[str, str]
    default_route: Route | None
    tags: Mapping[str, str]
    main: bool = False
    vpc_id: str = ""


@dataclass(frozen=True)
class NatGateway:
    """A NAT gateway as it stands; a private one has no way to the internet."""

    nat_gateway_id: str
    zone: str
    available: bool
    public: bool


@dataclass(frozen=True)
class S3Endpoint:
    """An endpoint for S3; a gateway serves route tables, an interface serves the whole VPC by its private DNS."""

    endpoint_id: str
    gateway: bool
    available: bool
    route_table_ids: frozenset[str]
    private_dns: bool = False


@dataclass(frozen=True)
class Vpc:
    """What a VPC consists of."""

    vpc_id: str
    subnets: tuple[Subnet, ...]
    tables: tuple[RouteTable, ...]
    nat_gateways: tuple[NatGateway, ...]
    endpoints: tuple[S3Endpoint, ...]

    def table_of(self, subnet_id: str) -> RouteTable | None:
        """Give the table by which a subnet routes: its own, else the VPC's main one."""
        own = self.associated(subnet_id)
        return own or next((table for table in self.tables if table.main), None)

    def associated(self, subnet_id: str) -> RouteTable | None:
        """Give the table that a subnet is associated with by itself."""
        return next((table for table in self.tables if subnet_id in table.associations), None)
