"""Subnets of instances: whether they stand in the right VPC and zone, have addresses, and lead on to AWS.

Sources: SageMaker developer guide, "Setting up SageMaker HyperPod with a custom Amazon VPC"; instances have no public
address, so a route to an internet gateway leads nowhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.diagnostics.models.answers import Name, Priority
from functions.diagnostics.rules.hyperpod import running, wanted
from functions.diagnostics.rules.saying import fact, failed, few, noted, passed, unchecked, unread, warned
from functions.network.subnets.rules.identity import KIND_TAG
from functions.network.subnets.rules.needs import addresses, per_node
from functions.network.subnets.rules.routing import leads_on, onward, reaches_s3, said_of, serves

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from functions.core.cluster import DesiredGroup
    from functions.diagnostics.models.answers import Check
    from functions.diagnostics.models.facts import Facts
    from functions.network.subnets.models import RouteTable, Subnet, Vpc

_SUBNET, _ADDRESSES, _ROUTE, _S3 = Name.COMPUTE_SUBNET, Name.SUBNET_ADDRESSES, Name.SUBNET_ROUTE, Name.S3_ROUTE
_CLUSTER_TAG: Final = "instantstart:cluster"


def placed(facts: Facts, vpc: Vpc) -> dict[str, list[DesiredGroup]]:
    """Say which groups stand in which subnet: as HyperPod has it, else as it was asked for."""
    found = facts.hyperpod.value
    standing = {group.desired.name: group.subnet_ids for group in found.groups} if found else {}
    named: dict[str, list[DesiredGroup]] = {}
    for group in wanted(facts):
        chosen = [group.subnet_id] if group.subnet_id else _own(facts, vpc, group)
        for subnet_id in standing.get(group.name) or chosen:
            named.setdefault(subnet_id, []).append(group)
    return named


def _own(facts: Facts, vpc: Vpc, group: DesiredGroup) -> list[str]:
    """Find the subnet that was made for a group: by its tags and zone."""
    zone = group.availability_zone or facts.spec.availability_zone
    ours = (each for each in vpc.subnets if each.tags.get(_CLUSTER_TAG) == facts.spec.tag and KIND_TAG in each.tags)
    return [each.subnet_id for each in ours if zone in (None, each.zone)][:1]


def check(facts: Facts) -> Iterator[Check]:
    """Judge each subnet that instances stand in, or are to stand in."""
    yield from unread(_SUBNET, facts.hyperpod)
    if not facts.vpc.asked:
        yield from unread(_SUBNET, facts.eks, facts.stack)
        return
    if facts.vpc.value is None:
        yield unchecked(_SUBNET, facts.vpc)
        return
    vpc = facts.vpc.value
    groups_in, known = placed(facts, vpc), {subnet.subnet_id: subnet for subnet in vpc.subnets}
    if not groups_in:
        yield noted(_SUBNET, f"{vpc.vpc_id} has no subnet for instances yet", vpc.vpc_id)
    for subnet_id, groups in groups_in.items():
        yield from (
            _of(facts, vpc, known[subnet_id], groups) if subnet_id in known else [_absent(subnet_id, vpc, groups)]
        )


def _absent(subnet_id: str, vpc: Vpc, groups: Sequence[DesiredGroup]) -> Check:
    message = f"the subnet {subnet_id} of {few([group.name for group in groups])} is not in {vpc.vpc_id}"
    remedy = "A group's subnet is fixed: create the group anew with a subnet of the VPC of the EKS cluster."
    return failed(_SUBNET, Priority.P0, message, remedy, subnet_id, [fact("vpc", vpc.vpc_id)])


def _of(facts: Facts, vpc: Vpc, subnet: Subnet, groups: Sequence[DesiredGroup]) -> Iterator[Check]:
    yield _zone(facts, subnet, groups)
    if facts.hyperpod.known:
        # Else nobody knows how many of the instances are there already.
        yield _room(facts, subnet, groups)
    table = vpc.table_of(subnet.subnet_id)
    yield _leaves(facts, subnet, table, vpc)
    yield _reaches_s3(facts, subnet, table, vpc)


def _zone(facts: Facts, subnet: Subnet, groups: Sequence[DesiredGroup]) -> Check:
    """Judge the zone; capacity that is in another one is never launched."""
    elsewhere = [group for group in groups if group.availability_zone not in (None, subnet.zone)]
    seen = [fact("zone", subnet.zone), fact("zone_id", subnet.zone_id)]
    if elsewhere:
        asked = few([f"{group.name} in {group.availability_zone}" for group in elsewhere])
        message = f"{subnet.subnet_id} is in {subnet.zone}, and asked for is {asked}"
        remedy = "A group's subnet is fixed: create the group anew with a subnet in its zone."
        return failed(_SUBNET, Priority.P0, message, remedy, subnet.subnet_id, seen)
    return passed(
        _SUBNET, f"{subnet.subnet_id} is in {facts.spec.names.eks_cluster}'s VPC, {subnet.zone}", subnet.subnet_id
    )


def _room(facts: Facts, subnet: Subnet, groups: Sequence[DesiredGroup]) -> Check:
    needed, free = addresses(groups, running(facts)), subnet.available_addresses
    said = f"{subnet.subnet_id} has {free} free addresses, instances still to come take {needed}"
    if needed <= free:
        return passed(_ADDRESSES, said, subnet.subnet_id)
    seen = [
        fact("free_addresses", free),
        fact("needed", needed),
        *(fact(f"addresses per node of {group.name}", per_node(group)) for group in groups),
    ]
    remedy = (
        "Ask for network_interface: efa_only, a dedicated_subnet, or fewer instances; a subnet itself cannot grow. "
        "Instances that come first are launched until it is full."
    )
    return failed(_ADDRESSES, Priority.P0, said, remedy, subnet.subnet_id, seen)


def _leaves(facts: Facts, subnet: Subnet, table: RouteTable | None, vpc: Vpc) -> Check:
    seen = [fact("route_table", table.route_table_id if table else None), fact("route", said_of(table))]
    through_nat = (
        table is not None and table.default_route is not None and table.default_route.target.startswith("nat-")
    )
    if table is not None and (leads_on(table, vpc.nat_gateways) if through_nat else onward(table)):
        return passed(_ROUTE, f"{subnet.subnet_id} leads on: {said_of(table)}", subnet.subnet_id)
    if not onward(table) and facts.endpoints.why:
        # Whether nothing leads to AWS depends on them.
        return unchecked(_ROUTE, facts.endpoints, subnet.subnet_id)
    if not onward(table) and facts.endpoints.value and facts.endpoints.value.interfaces:
        message = f"{subnet.subnet_id} reaches what has an endpoint in its VPC, and nothing else: {said_of(table)}"
        return noted(_ROUTE, message, subnet.subnet_id, seen)
    state = ", which does not work" if through_nat and onward(table) else ""
    message = f"instances in {subnet.subnet_id} do not reach AWS: {said_of(table)}{state}"
    return failed(_ROUTE, Priority.P0, message, _mending(facts), subnet.subnet_id, seen)


def _reaches_s3(facts: Facts, subnet: Subnet, table: RouteTable | None, vpc: Vpc) -> Check:
    if facts.endpoints.why:
        return unchecked(_S3, facts.endpoints, subnet.subnet_id)
    if reaches_s3(table, vpc.endpoints):
        return passed(_S3, f"{subnet.subnet_id} reaches S3 through an endpoint", subnet.subnet_id)
    there = [each.endpoint_id for each in vpc.endpoints if each.available]
    seen = [fact("route_table", table.route_table_id if table else None), fact("endpoints", few(there))]
    if table is not None and onward(table) and not serves(table, vpc.endpoints):
        message = f"{subnet.subnet_id} reaches S3 through its default route only: data goes, and costs, through there"
        return warned(_S3, Priority.P2, message, _mending(facts), subnet.subnet_id, seen)
    message = f"instances in {subnet.subnet_id} do not reach S3, where their lifecycle scripts lie"
    return failed(_S3, Priority.P0, message, _mending(facts), subnet.subnet_id, seen)


def _mending(facts: Facts) -> str:
    if facts.spec.origin == "imported":
        return "Give the subnet's route table a route through a working NAT gateway, and a gateway endpoint for S3."
    tag = facts.spec.tag
    return f"POST /api/clusters/{tag}/drift names what is missing, POST /api/clusters/{tag}/repair brings it back."
