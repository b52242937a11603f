"""The VPC that instances stand in: of the EKS cluster, else of the stack, else as it was imported or taken over."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from functions.aws import network, routing, vpc_traffic
from functions.core import settings
from functions.diagnostics.models.answers import Area
from functions.diagnostics.models.facts import Seen
from functions.diagnostics.models.traffic import VpcDns
from functions.diagnostics.routes.asking import first_reason, seen
from functions.diagnostics.rules.areas import any_of
from functions.network.subnets.models import Vpc

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from functions.core.gathering import Gathering
    from functions.diagnostics.models.facts import Facts
    from functions.network.subnets.models import S3Endpoint


def ask(known: Facts, areas: Collection[Area], around: Gathering) -> Callable[[Facts], Facts]:
    """Ask for the VPC, and what keeps its traffic back; the answers are there once all calls are made.

    One read of the endpoints serves both: a VPC whose endpoints could not be read has none, and `endpoints` says why.
    """
    vpc_id, region = _vpc_of(known), settings.current().region
    wanted = bool(vpc_id) and Area.NETWORK in areas
    dns = around.ask("vpc_dns", lambda: VpcDns(vpc_id, *network.dns_of(vpc_id)), wanted=wanted)
    acls = around.ask("network_acls", lambda: vpc_traffic.acls_of(vpc_id), wanted=wanted)
    endpoints = around.ask("endpoints", lambda: vpc_traffic.endpoints_of(vpc_id, region), wanted=wanted)
    vpc = _ask_vpc(vpc_id, areas, around)

    def answered(facts: Facts) -> Facts:
        told = replace(facts, dns=seen(dns), acls=seen(acls), endpoints=seen(endpoints))
        return vpc(told, endpoints.value.s3 if endpoints.value else ())

    return answered


def _ask_vpc(
    vpc_id: str, areas: Collection[Area], around: Gathering
) -> Callable[[Facts, tuple[S3Endpoint, ...]], Facts]:
    """Ask for what routes hang on, all of which is needed."""
    wanted = bool(vpc_id) and any_of(areas, Area.NETWORK, Area.CAPACITY)
    subnets = around.ask("subnets", lambda: network.subnets_of_vpc(vpc_id), wanted=wanted)
    tables = around.ask("route_tables", lambda: routing.tables_of_vpc(vpc_id), wanted=wanted)
    gateways = around.ask("nat_gateways", lambda: vpc_traffic.nat_gateways_of(vpc_id), wanted=wanted)

    def answered(facts: Facts, endpoints: tuple[S3Endpoint, ...]) -> Facts:
        why = first_reason((subnets, tables, gateways))
        if why or gateways.value is None:
            return replace(facts, vpc=Seen(why=why, asked=wanted))
        nat_gateways, places = gateways.value
        made = Vpc(vpc_id, tuple(subnets.value or ()), tuple(tables.value or ()), nat_gateways, endpoints)
        return replace(facts, vpc=Seen(made), nat_subnets=places)

    return answered


def _vpc_of(known: Facts) -> str:
    """Name the VPC; nothing while there is none."""
    spec = known.spec
    if known.eks.value and known.eks.value.found.vpc_id:
        return known.eks.value.found.vpc_id
    if known.stack.value and (made := known.stack.value.outputs.get("VpcId")):
        return made
    return (spec.surroundings.vpc_id if spec.surroundings else (spec.reused and spec.reused.vpc_id)) or ""
