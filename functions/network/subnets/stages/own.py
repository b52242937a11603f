"""A compute subnet of ours: found by its tags, made when absent, each of its properties checked and repaired.

EC2 has no idempotency token for CreateSubnet. Racing callers are kept apart by a lock of the VPC, which clusters may
share; a range that EC2 refuses without listing who has it is waited for, because its lists lag behind; and should
several have come to be, the first by id counts, and who made another takes it away while it is empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Final

from functions.aws import network, routing, zones
from functions.aws.foundations import foundation_of
from functions.core import runtime
from functions.core.errors import Busy, Cause, Conflict, InvalidRequest, Layer, PreconditionFailed, QuotaExceeded
from functions.core.ledger import locks
from functions.core.runtime import Patience
from functions.core.stage import Applied, Done, Observation, Reapply
from functions.core.tags import stack_tags, tags_of
from functions.network.models import SMALLEST_PREFIX
from functions.network.ranges.rules import compute_ranges
from functions.network.rules import free_compute_range
from functions.network.subnets.rules.identity import identity_of, missing_tags, superfluous
from functions.network.subnets.rules.needs import addresses, capacity
from functions.network.subnets.rules.routing import choose_endpoint, choose_nat, faults_of_own, leads_on, serves
from functions.network.subnets.stages.facts import check_addresses, vpc_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from functions.aws.foundations import Foundation
    from functions.core.stage import StageContext
    from functions.network.subnets.models import RouteTable, Subnet, Vpc
    from functions.network.subnets.rules.identity import Identity
    from functions.network.subnets.rules.needs import Need

LOCK: Final = "compute_subnets"
# A turn lasts as long as its function's timeout at most.
_LONGEST_TURN: Final = timedelta(seconds=300)
# EC2's lists catch up within seconds; a range refused for longer is taken by something that they never show.
_LISTS_LAG: Final = timedelta(minutes=5)


@dataclass(frozen=True)
class _Place:
    """What is wanted, and what it hangs on."""

    context: StageContext
    need: Need
    identity: Identity
    foundation: Foundation

    @property
    def operation_tags(self) -> dict[str, str]:
        """Give the tags of what this operation makes."""
        return tags_of(self.context.cluster, self.context.operation.operation_id)


def apply(context: StageContext, need: Need) -> Applied:
    """Make the subnet if it is absent, then repair its tags, its routes and its endpoint."""
    zone = _checked_zone(context, need)
    place = _place(context, need, zone)
    with locks.held_in_vpc(place.foundation.vpc_id, LOCK, context.operation.operation_id, _LONGEST_TURN):
        subnet = _found(place) or _create(place)
        repaired = _repair(place, subnet, vpc_of(place.foundation.vpc_id, context.cluster.region))
    said = f", repaired: {', '.join(repaired)}" if repaired else ""
    return Applied(f"{place.identity.name} is {subnet.subnet_id}{said}", (subnet.subnet_id,))


def observe(context: StageContext, need: Need) -> Observation:
    """Done when the subnet and everything it hangs on is right."""
    place = _place(context, need, need.zone or "")
    vpc = vpc_of(place.foundation.vpc_id, context.cluster.region)
    found = place.identity.subnets(vpc.subnets)
    if not found:
        return Reapply(f"{place.identity.name} is gone")
    subnet = found[0]
    faults = faults_of_own(place.identity, subnet, vpc, needs_endpoint=place.foundation.owns_vpc)
    if faults:
        return Reapply(f"{place.identity.name} ({subnet.subnet_id}) lacks {', '.join(faults)}")
    result = {"subnet_id": subnet.subnet_id, "zone": subnet.zone, "cidr": str(subnet.cidr), "kind": need.kind}
    free = f"{subnet.available_addresses} addresses free{_other_size(need, subnet)}"
    return Done(result, f"{place.identity.name}: {subnet.cidr} in {subnet.zone}, {free}", (subnet.subnet_id,))


def _other_size(need: Need, subnet: Subnet) -> str:
    """Say that a subnet which stood before has another size than asked for: none can be changed later."""
    if need.prefix in (None, subnet.cidr.prefixlen):
        return ""
    return f"; it stood before, so its size stays: subnet_prefix {need.prefix} is for a new one"


def _place(context: StageContext, need: Need, zone: str) -> _Place:
    return _Place(context, need, identity_of(need, zone, stack_tags(context.cluster)), foundation_of(context.cluster))


def _checked_zone(context: StageContext, need: Need) -> str:
    """Look at a zone that the edge could not check, before anything is made there."""
    names = [zone.name for zone in zones.describe(Patience.STAGE)]
    if need.zone not in names:
        raise InvalidRequest(
            f"{need.zone} is not the name of a zone of {context.cluster.region}.",
            cause=Cause(layer=Layer.CALLER, service="ec2", api_call="DescribeAvailabilityZones"),
            remedy=f"Name one of {', '.join(names)} as availability_zone in a new request.",
        )
    return need.zone


def _found(place: _Place) -> Subnet | None:
    """Find the subnet, see that it has room, and take away what this operation made beside it."""
    subnets = network.subnets_of_vpc(place.foundation.vpc_id)
    found = place.identity.subnets(subnets)
    if not found:
        _check_name(place, subnets)
        check_addresses(place.context, place.need, capacity(place.need.size), place.foundation.vpc_id, None)
        return None
    operation_id = place.context.operation.operation_id
    whole = {subnet.subnet_id: capacity(subnet.cidr.prefixlen) for subnet in found}
    for extra in superfluous(found[1:], operation_id, whole):
        network.delete_subnet(extra.subnet_id)
    check_addresses(place.context, place.need, found[0].available_addresses, place.foundation.vpc_id, found[0])
    return found[0]


def _check_name(place: _Place, subnets: Sequence[Subnet]) -> None:
    foreign = place.identity.foreign(subnets)
    if foreign:
        raise Conflict(
            f"The subnet {foreign.subnet_id} is named {place.identity.name}, and its tags do not say that it is ours.",
            cause=Cause(layer=Layer.AWS, service="ec2", resource=foreign.subnet_id),
            remedy=f"Name it as subnet_id to use it as it is, give it another name, or tag it {_written(place)} to "
            "hand it over; then retry the operation.",
        )


def _written(place: _Place) -> str:
    return ", ".join(f"{key}={value}" for key, value in place.identity.ours.items())


def _create(place: _Place) -> Subnet:
    vpc_id, refused = place.foundation.vpc_id, set[IPv4Network]()
    ranges = compute_ranges(place.context.cluster.ranges, network.associated_ranges_of_vpc(vpc_id))
    while True:
        subnets = network.subnets_of_vpc(vpc_id)
        if found := place.identity.subnets(subnets):
            # By another caller, or by this very call whose answer was lost.
            return found[0]
        cidr = free_compute_range(ranges, _taken(place, subnets, refused), place.need.size)
        if cidr is None:
            raise _coming(place, ranges) or _full(place, ranges)
        if cidr in refused:
            raise _not_listed(place, cidr)
        created = network.create_subnet(
            vpc_id, place.identity.zone, cidr, place.operation_tags | place.identity.subnet_tags
        )
        if created:
            return created
        refused.add(cidr)


def _taken(place: _Place, subnets: Sequence[Subnet], refused: set[IPv4Network]) -> list[IPv4Network]:
    begun = place.context.stage.started_at or runtime.now()
    listed = [subnet.cidr for subnet in subnets]
    return listed if runtime.now() - begun < _LISTS_LAG else [*listed, *refused]


def _not_listed(place: _Place, cidr: IPv4Network) -> Busy:
    return Busy(
        f"EC2 refuses {cidr} for {place.identity.name} as taken and does not list by what yet.",
        cause=Cause(layer=Layer.AWS, service="ec2", api_call="CreateSubnet", code="InvalidSubnet.Conflict"),
        remedy="Nothing needs to be done: EC2's list catches up within a minute.",
    )


def _coming(place: _Place, ranges: Sequence[IPv4Network]) -> Busy | None:
    """Say that the VPC is about to have more ranges than those that are full; None when it is not."""
    vpc_id = place.foundation.vpc_id
    held = compute_ranges(place.context.cluster.ranges, network.ranges_of_vpc(vpc_id))
    coming = [str(each) for each in held if each not in ranges]
    if not coming:
        return None
    return Busy(
        f"The VPC {vpc_id} is full, and {', '.join(coming)}, which is added to it, takes no subnets yet.",
        cause=Cause(
            layer=Layer.AWS, service="ec2", api_call="DescribeVpcs", code="VPC_RANGE_ASSOCIATING", resource=vpc_id
        ),
        remedy="Nothing needs to be done: EC2 adds a range to a VPC within a minute.",
    )


def _full(place: _Place, ranges: Sequence[IPv4Network]) -> QuotaExceeded:
    vpc_id, held, chosen = place.foundation.vpc_id, ", ".join(map(str, ranges)), place.context.cluster.ranges
    part = chosen is not None and chosen.compute_cidr is not None
    where = f"{held} of the VPC {vpc_id}, chosen as compute_cidr," if part else f"The VPC {vpc_id} ({held})"
    further = "name a subnet of your own as subnet_id" if part else "add a secondary range to the VPC"
    owner = place.need.owner
    size = f"by subnet_prefix{f' of group {owner}' if owner else ''}"
    needed, halved = addresses(place.need.groups), place.need.size + 1
    holds = halved <= SMALLEST_PREFIX and capacity(halved) >= needed
    smaller = f"Ask for a smaller subnet {size}, delete" if holds else "Delete"
    return QuotaExceeded(
        f"{where} has no free /{place.need.size} left for {place.identity.name}.",
        cause=Cause(
            layer=Layer.AWS, service="ec2", code="COMPUTE_CIDR_FULL" if part else "VPC_RANGES_FULL", resource=vpc_id
        ),
        remedy=f"{smaller} an unused compute subnet (GET "
        f"/api/clusters/{place.context.cluster.tag}/subnets lists them), or {further}; then retry the operation.",
    )


def _repair(place: _Place, subnet: Subnet, vpc: Vpc) -> list[str]:
    """Bring every property to what it should be, and name what was wrong with a subnet that stood before."""
    faults = faults_of_own(place.identity, subnet, vpc, needs_endpoint=place.foundation.owns_vpc)
    if lacking := missing_tags(place.identity.subnet_tags, subnet.tags):
        network.tag(subnet.subnet_id, lacking)
    table = _own_table(place, subnet, vpc)
    if lacking := missing_tags(place.identity.table_tags, table.tags):
        network.tag(table.route_table_id, lacking)
    # First the routes, then the subnet: nodes that run there lose nothing on the way.
    if not leads_on(table, vpc.nat_gateways):
        routing.route_through_nat(table, _nat(place, vpc))
    endpoint = None if serves(table, vpc.endpoints) else _endpoint(place, vpc)
    if endpoint:
        routing.serve_by_endpoint(endpoint, table.route_table_id)
    current = vpc.associated(subnet.subnet_id)
    if current is None or current.route_table_id != table.route_table_id:
        routing.associate(table, subnet, instead_of=current)
    return faults


def _own_table(place: _Place, subnet: Subnet, vpc: Vpc) -> RouteTable:
    """Find our route table for the subnet or make it; take away what was made beside it and serves nothing."""
    tables = place.identity.tables(vpc.tables)
    if not tables:
        return routing.create_table(vpc.vpc_id, place.operation_tags | place.identity.table_tags)
    current = vpc.associated(subnet.subnet_id)
    kept = current if current in tables else tables[0]
    for extra in tables:
        if extra is not kept and not extra.associations:
            routing.delete_table(extra.route_table_id)
    return kept


def _nat(place: _Place, vpc: Vpc) -> str:
    wanted = place.foundation.nat_gateway_id
    found = choose_nat(wanted, place.identity.zone, vpc.nat_gateways)
    if found is None:
        lost = f"; {wanted}, the foundation's, does not" if wanted else ""
        raise PreconditionFailed(
            f"The VPC {vpc.vpc_id} has no NAT gateway that works{lost}.",
            cause=Cause(
                layer=Layer.AWS, service="ec2", api_call="DescribeNatGateways", code="NO_NAT", resource=wanted or None
            ),
            remedy="Create a public NAT gateway in a public subnet of this VPC, then retry the operation; it is found "
            "by itself.",
        )
    return found.nat_gateway_id


def _endpoint(place: _Place, vpc: Vpc) -> str | None:
    """Choose the endpoint to join; a VPC that was taken over without one does without, by its NAT gateway."""
    wanted, service = place.foundation.endpoint_id, routing.s3_service(place.context.cluster.region)
    found = choose_endpoint(wanted, vpc.endpoints)
    if found is None and not place.foundation.owns_vpc:
        return None
    if found is None:
        lost = f": {wanted}, the foundation's, is gone" if wanted else ""
        raise PreconditionFailed(
            f"The VPC {vpc.vpc_id} has no gateway endpoint for S3{lost}.",
            cause=Cause(
                layer=Layer.AWS,
                service="ec2",
                api_call="DescribeVpcEndpoints",
                code="NO_S3_ENDPOINT",
                resource=wanted or None,
            ),
            remedy=f"Create a gateway endpoint for {service} in this VPC, then retry the operation; it is found by "
            "itself.",
        )
    return found.endpoint_id
