"""The VPC that instances stand in: of the EKS cluster, else of the stack, else as it was imported or taken over."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from functions.aws import network, routing, vpc_traffic
from functions.core import settings
from functions.diagnostics.models.answers import Area
from functions.diagnostics.models.facts import Seen
from functions.diagnostics.routes.asking import first_reason, seen
from functions.diagnostics.rules.areas import any_of
from functions.network.subnets.models import Vpc

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from functions.core.gathering import Gathering
    from functions.diagnostics.models.facts import Facts

_UNZONED: dict[str, str] = {}


def ask(known: Facts, areas: Collection[Area], around: Gathering) -> Callable[[], Seen[Vpc]]:
    """Ask for what routes hang on; the answer is there once all calls are made."""
    vpc_id = _vpc_of(known)
    wanted = bool(vpc_id) and any_of(areas, Area.NETWORK, Area.CAPACITY)
    subnets = around.ask("subnets", lambda: network.subnets_of_vpc(vpc_id), wanted=wanted)
    tables = around.ask("route_tables", lambda: routing.tables_of_vpc(vpc_id), wanted=wanted)
    gateways = around.ask("nat_gateways", lambda: routing.nat_gateways_of_vpc(vpc_id, _UNZONED), wanted=wanted)
    endpoints = around.ask(
        "s3_endpoints", lambda: routing.s3_endpoints_of_vpc(vpc_id, settings.current().region), wanted=wanted
    )

    def answered() -> Seen[Vpc]:
        why = first_reason((subnets, tables, gateways, endpoints))
        if why or not wanted:
            return Seen(why=why, asked=wanted)
        made = (tuple(subnets.value or ()), tuple(tables.value or ()))
        return Seen(Vpc(vpc_id, *made, tuple(gateways.value or ()), tuple(endpoints.value or ())))

    return answered


def ask_traffic(known: Facts, areas: Collection[Area], around: Gathering) -> Callable[[Facts], Facts]:
    """Ask what else keeps traffic back, each by itself; the answers are there once all calls are made."""
    vpc_id, region = _vpc_of(known), settings.current().region
    wanted = bool(vpc_id) and Area.NETWORK in areas
    dns = around.ask("vpc_dns", lambda: vpc_traffic.dns_of(vpc_id), wanted=wanted)
    acls = around.ask("network_acls", lambda: vpc_traffic.acls_of(vpc_id), wanted=wanted)
    endpoints = around.ask("endpoints", lambda: vpc_traffic.endpoints_of(vpc_id, region), wanted=wanted)
    return lambda facts: replace(facts, dns=seen(dns), acls=seen(acls), endpoints=seen(endpoints))


def _vpc_of(known: Facts) -> str:
    """Name the VPC; nothing while there is none."""
    spec = known.spec
    if known.eks.value and known.eks.value.found.vpc_id:
        return known.eks.value.found.vpc_id
    if known.stack.value and (made := known.stack.value.outputs.get("VpcId")):
        return made
    return (spec.surroundings.vpc_id if spec.surroundings else (spec.reused and spec.reused.vpc_id)) or ""
