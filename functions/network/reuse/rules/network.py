"""Whether a VPC can carry a cluster: names, routes, subnets in two zones, and room for the nodes."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Final

from functions.catalog.models import Zone
from functions.catalog.rules import control_plane_zones
from functions.core.findings import Finding, Level
from functions.network.ranges.rules import either, room_in, smaller
from functions.network.reuse.rules.kinds import ROUTES, SERVICE_RANGE, SUBNET, SUBNET_ADDRESSES, VPC, VPC_DNS, VPC_ROOM
from functions.network.rules import SERVICE_RANGES, free_service_range
from functions.network.subnets.rules.routing import choose_endpoint, choose_nat

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from functions.core.cluster import ReusedResources
    from functions.network.reuse.models import Facts, Network
    from functions.network.subnets.models import Subnet
    from functions.network.subnets.rules.needs import Need

# Source: Amazon EKS user guide, "View Amazon EKS networking requirements for VPC and subnets".
FEWEST_ADDRESSES: Final = 6
ADVISED_ADDRESSES: Final = 16
_PATH: Final = "foundation"


def check(reused: ReusedResources, facts: Facts, needs: Sequence[Need]) -> Iterator[Finding]:
    """Judge the VPC and its subnets; `needs` are the subnets that the request's groups need."""
    vpc_id = reused.vpc_id
    if vpc_id is None or facts.networks is None:
        return
    network = facts.network(vpc_id)
    if network is None:
        yield _error(VPC, "vpc_id", f"{vpc_id} does not exist in this region", vpc_id, "Name a VPC that does.")
        return
    yield from _names(vpc_id, network)
    yield from _services(vpc_id, network)
    yield from _subnets(reused, network, facts)
    yield from _routes(vpc_id, network, needs)
    yield from _room(vpc_id, network, needs)


def primary_range(network: Network) -> IPv4Network:
    """Give the range that the VPC was made with."""
    return network.ranges[0]


def subnet_of(network: Network, subnet_id: str) -> Subnet | None:
    """Find a subnet of a VPC."""
    return next((subnet for subnet in network.parts.subnets if subnet.subnet_id == subnet_id), None)


def _names(vpc_id: str, network: Network) -> Iterator[Finding]:
    """DNS is needed to resolve the cluster's private endpoint and file systems."""
    settings = {"DNS resolution": network.dns_support, "DNS hostnames": network.dns_hostnames}
    if off := [name for name, on in settings.items() if not on]:
        said = f"{vpc_id} has {' and '.join(off)} turned off; nodes resolve the cluster's private endpoint by them"
        yield _error(VPC_DNS, "vpc_id", said, vpc_id, f"Turn {' and '.join(off)} of {vpc_id} on, then send it again.")


def _services(vpc_id: str, network: Network) -> Iterator[Finding]:
    if free_service_range(network.ranges) is None:
        tried = ", ".join(map(str, SERVICE_RANGES))
        said = f"the ranges of {vpc_id} overlap with every range for Kubernetes services ({tried})"
        yield _error(SERVICE_RANGE, "vpc_id", said, vpc_id, "Name a VPC that leaves one of them free.")


def _subnets(reused: ReusedResources, network: Network, facts: Facts) -> Iterator[Finding]:
    found: list[Subnet] = []
    for place, subnet_id in enumerate(reused.control_plane_subnet_ids):
        field, subnet = f"control_plane_subnet_ids[{place}]", subnet_of(network, subnet_id)
        if subnet is None:
            yield _stranger(field, subnet_id, network.parts.vpc_id, facts)
        else:
            found.append(subnet)
            yield from _control_plane(field, subnet)
    for place, subnet_id in enumerate(reused.public_subnet_ids):
        field, subnet = f"public_subnet_ids[{place}]", subnet_of(network, subnet_id)
        if subnet is None:
            yield _stranger(field, subnet_id, network.parts.vpc_id, facts)
        else:
            yield from _public(field, subnet, network)
    if len(found) > 1 and len({subnet.zone_id for subnet in found}) == 1:
        named = " and ".join(subnet.subnet_id for subnet in found)
        said = f"{named} are both in {found[0].zone}; a control plane needs two different zones"
        yield _error(SUBNET, "control_plane_subnet_ids", said, None, "Name subnets in two zones.")


def _stranger(field: str, subnet_id: str, vpc_id: str, facts: Facts) -> Finding:
    elsewhere = facts.strangers.get(subnet_id)
    said = f"is in {elsewhere.vpc_id}, not in {vpc_id}" if elsewhere else "does not exist in this region"
    return _error(SUBNET, field, f"{subnet_id} {said}", subnet_id, f"Name a subnet of {vpc_id}.")


def _control_plane(field: str, subnet: Subnet) -> Iterator[Finding]:
    if not control_plane_zones([Zone(subnet.zone, subnet.zone_id)]):
        said = f"EKS places no control plane in {subnet.zone} ({subnet.zone_id}), where {subnet.subnet_id} is"
        yield _error(SUBNET, field, said, subnet.subnet_id, "Name a subnet in another zone.")
    free = subnet.available_addresses
    if free >= ADVISED_ADDRESSES:
        return
    level = Level.ERROR if free < FEWEST_ADDRESSES else Level.WARNING
    yield Finding(
        check=SUBNET_ADDRESSES,
        level=level,
        field=f"{_PATH}.{field}",
        resource=subnet.subnet_id,
        message=f"{subnet.subnet_id} has {free} free addresses; EKS needs {FEWEST_ADDRESSES} and AWS advises "
        f"{ADVISED_ADDRESSES}",
        remedy=f"Free addresses in {subnet.subnet_id}, or name a larger subnet.",
    )


def _public(field: str, subnet: Subnet, network: Network) -> Iterator[Finding]:
    table = network.parts.table_of(subnet.subnet_id)
    route = table.default_route if table else None
    if route is None or not route.active or not route.target.startswith("igw-"):
        said = f"{subnet.subnet_id} is not public: its default route does not lead to an internet gateway"
        remedy = f"Route {subnet.subnet_id} to the VPC's internet gateway, or leave it out."
        yield _error(ROUTES, field, said, subnet.subnet_id, remedy)


def _routes(vpc_id: str, network: Network, needs: Sequence[Need]) -> Iterator[Finding]:
    """Say what compute subnets of ours would lack in the VPC; a given subnet is judged by its own routes."""
    own = [need for need in needs if need.kind != "given"]
    if choose_nat("", "", network.parts.nat_gateways) is None:
        said = f"{vpc_id} has no public NAT gateway that works, and compute subnets are made to route through one"
        remedy = (
            f"Create a public NAT gateway in {vpc_id}, or name a routed subnet as subnet_id of each instance group."
        )
        level = Level.ERROR if own else Level.WARNING
        yield Finding(check=ROUTES, level=level, field=f"{_PATH}.vpc_id", message=said, resource=vpc_id, remedy=remedy)
    if choose_endpoint("", network.parts.endpoints) is None:
        yield Finding(
            check=ROUTES,
            level=Level.WARNING,
            field=f"{_PATH}.vpc_id",
            resource=vpc_id,
            message=f"{vpc_id} has no gateway endpoint for S3: what nodes read from S3 is charged as NAT traffic",
            remedy="Create a gateway endpoint for S3 in the VPC; compute subnets join it by themselves.",
        )


def _room(vpc_id: str, network: Network, needs: Sequence[Need]) -> Iterator[Finding]:
    """Find a compute subnet for which the VPC has no free range left; secondary ranges count."""
    taken, own = [subnet.cidr for subnet in network.parts.subnets], [need for need in needs if need.kind != "given"]
    room = room_in(vpc_id, network.ranges, taken, own, None)
    if lacking := room.lacking:
        choices = [f"add a secondary range to {vpc_id}", *smaller(room, lacking)]
        choices.append("name a subnet as subnet_id of the instance group")
        yield Finding(
            check=VPC_ROOM,
            level=Level.ERROR,
            field="hyperpod.subnet_prefix",
            resource=vpc_id,
            message=f"{vpc_id} ({room.named}) has no free /{lacking.size} for the compute subnet of {lacking.names}",
            remedy=either(choices),
        )


def _error(check: str, field: str, message: str, resource: str | None, remedy: str) -> Finding:
    place = f"{_PATH}.{field}"
    return Finding(check=check, level=Level.ERROR, field=place, message=message, resource=resource, remedy=remedy)
