"""A subnet that the caller chose: judged, never changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.aws import network
from functions.aws.foundations import foundation_of
from functions.core.errors import Cause, InvalidRequest, Layer, PreconditionFailed
from functions.core.ledger.made import adopted
from functions.core.stage import Applied, Done, Observation
from functions.network.subnets.rules.requests import given_fault
from functions.network.subnets.rules.routing import onward, reaches_s3, said_of
from functions.network.subnets.stages.facts import check_addresses, vpc_of

if TYPE_CHECKING:
    from functions.core.ledger.models import JsonObject
    from functions.core.stage import StageContext
    from functions.network.subnets.models import Subnet, Vpc
    from functions.network.subnets.rules.needs import Need


def apply(context: StageContext, need: Need) -> Applied:
    """Judge the subnet: its VPC, zone, routes and free addresses."""
    subnet, vpc = _read(context, need)
    _check_routes(subnet, vpc)
    check_addresses(context, need, subnet.available_addresses, vpc.vpc_id, subnet)
    return Applied(f"{subnet.subnet_id} is used as it is", (subnet.subnet_id,))


def check(context: StageContext, need: Need) -> None:
    """Judge the subnet as it stands; raises what `apply` raises, but for addresses."""
    _check_routes(*_read(context, need))


def observe(context: StageContext, need: Need) -> Observation:
    """Done when the subnet still is as it has to be; what it lacks without harm is said."""
    subnet, vpc = _read(context, need)
    _check_routes(subnet, vpc)
    result: JsonObject = {"subnet_id": subnet.subnet_id, "zone": subnet.zone, "cidr": str(subnet.cidr)}
    result |= {"kind": need.kind, **adopted()}
    free = f"{subnet.available_addresses} addresses free"
    said = f"{subnet.subnet_id}: {subnet.cidr} in {subnet.zone}, {free}{_without_harm(subnet, vpc)}"
    return Done(result, said, (subnet.subnet_id,))


def _read(context: StageContext, need: Need) -> tuple[Subnet, Vpc]:
    vpc_id = foundation_of(context.cluster).vpc_id
    subnet = next(iter(network.subnets_named([need.parameter])), None)
    for group in need.groups:
        if fault := given_fault(group, subnet, vpc_id):
            raise _unfit(group.name, *fault)
    if subnet is None:
        raise _unfit("-", "subnet_id", f"{need.parameter} does not exist in this region")
    return subnet, vpc_of(vpc_id, context.cluster.region)


def _unfit(group: str, field: str, message: str) -> InvalidRequest:
    return InvalidRequest(
        f"{field} of instance group {group}: {message}.",
        cause=Cause(layer=Layer.CALLER, service="ec2", api_call="DescribeSubnets"),
        remedy="Send a new request with a subnet that fits, or without subnet_id.",
    )


def _check_routes(subnet: Subnet, vpc: Vpc) -> None:
    """Refuse a subnet from which no node could fetch its lifecycle script."""
    table = vpc.table_of(subnet.subnet_id)
    if onward(table) or reaches_s3(table, vpc.endpoints):
        return
    raise PreconditionFailed(
        f"Nodes in {subnet.subnet_id} would not reach S3, where their lifecycle script is: {said_of(table)}, and no "
        "endpoint for S3 serves it.",
        cause=Cause(layer=Layer.AWS, service="ec2", code="NO_ROUTE_TO_S3", resource=subnet.subnet_id),
        remedy="Give its route table a default route to a NAT gateway (a transit or virtual private gateway, a "
        "firewall's endpoint or an appliance's interface will do too; nodes have no public address, so an internet "
        "gateway will not), or let the VPC's gateway endpoint for S3 serve it; then retry the operation.",
    )


def _without_harm(subnet: Subnet, vpc: Vpc) -> str:
    table = vpc.table_of(subnet.subnet_id)
    if not onward(table):
        return f"; {said_of(table)}: images and AWS's APIs have to come through endpoints of the VPC"
    if not reaches_s3(table, vpc.endpoints):
        return "; no endpoint for S3 serves it: what nodes read from S3 is charged as traffic of its default route"
    return ""
