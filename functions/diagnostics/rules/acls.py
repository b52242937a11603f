"""Network ACLs of the subnets that nodes depend on: their own, their NAT gateway's, the control plane's, endpoints'."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.diagnostics.models.answers import Name, Priority
from functions.diagnostics.rules.openings import commands
from functions.diagnostics.rules.passage import EVERYWHERE, Passage, passage, rules_about
from functions.diagnostics.rules.saying import fact, failed, few, noted, passed, unread, warned
from functions.diagnostics.rules.subnets import placed
from functions.diagnostics.rules.ways import ways_of
from functions.network.subnets.rules.routing import onward

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from functions.diagnostics.models.answers import Check
    from functions.diagnostics.models.facts import Facts
    from functions.diagnostics.models.traffic import AclRule, NetworkAcl
    from functions.diagnostics.rules.passage import Way
    from functions.network.subnets.models import Vpc

_ACL: Final = Name.NETWORK_ACL


def check(facts: Facts) -> Iterator[Check]:
    """Judge each network ACL for the subnets that have it: a subnet has exactly one."""
    yield from unread(_ACL, facts.acls, facts.vpc)
    vpc = facts.vpc.value
    if vpc is None:
        return
    wanted = ways_of(facts, vpc)
    for acl in facts.acls.value or ():
        its = {subnet_id: ways for subnet_id, ways in wanted.items() if subnet_id in acl.subnet_ids}
        inside = {subnet_id: _inside(facts, vpc, subnet_id) for subnet_id in its}
        faults = {subnet_id: _fault(acl, subnet_id, ways, inside=inside[subnet_id]) for subnet_id, ways in its.items()}
        yield from filter(None, faults.values())
        if sound := [subnet_id for subnet_id, fault in faults.items() if fault is None]:
            rest = _unchecked(facts)
            kinds = dict.fromkeys(way.said for subnet_id in sound for way in its[subnet_id])
            yield passed(_ACL, f"{acl.acl_id} lets through of {few(sound)}: {', '.join(kinds)}{rest}", acl.acl_id)


def _unchecked(facts: Facts) -> str:
    """Say whose needs are not known."""
    unknown = ["the control plane needs"] if facts.eks.value is None else []
    unknown += ["endpoints need"] if facts.endpoints.why else []
    return f"; what {' and what '.join(unknown)} is not checked" if unknown else ""


def _inside(facts: Facts, vpc: Vpc, subnet_id: str) -> bool:
    """Say whether a subnet of instances has no way out of the VPC; a NAT gateway's leads to the internet."""
    own = subnet_id in placed(facts, vpc) and subnet_id not in facts.nat_subnets.values()
    return own and not onward(vpc.table_of(subnet_id))


def _fault(acl: NetworkAcl, subnet_id: str, ways: Sequence[Way], *, inside: bool) -> Check | None:
    """Judge a network ACL, which keeps no state: what goes out does not let its answers in."""
    found = {way: passage(acl.rules, way) for way in ways}
    lacking = [way for way, how_much in found.items() if how_much is not Passage.ALL]
    shut = [way for way in lacking if found[way] is Passage.NONE]
    seen = [fact("network_acl", acl.acl_id)]
    seen += [fact(f"rules on {way.said}", _rules_on(acl.rules, way)) for way in shut or lacking]
    if shut:
        message = f"{acl.acl_id} keeps {_all(shut)} of {subnet_id} back"
        return failed(_ACL, min(way.priority for way in shut), message, commands(acl, shut), subnet_id, seen)
    if not lacking:
        return None
    message = f"{acl.acl_id} lets only a part of {_all(lacking)} of {subnet_id} through"
    if inside and all(way.peers == (EVERYWHERE,) for way in lacking):
        # What such a subnet needs is in the VPC, or what it is given.
        return noted(_ACL, message, subnet_id, seen)
    remedy = f"See that nothing of AWS is kept back, or: {commands(acl, lacking)}"
    return warned(_ACL, Priority.P1, message, remedy, subnet_id, seen)


def _all(ways: Sequence[Way]) -> str:
    return " and ".join(way.said for way in ways)


def _rules_on(rules: Sequence[AclRule], way: Way) -> str:
    return few([_said(rule) for rule in rules_about(rules, way)])


def _said(rule: AclRule) -> str:
    ports = f" {rule.ports[0]}-{rule.ports[1]}" if rule.ports else ""
    return f"{rule.number} {'allow' if rule.allows else 'deny'} {rule.cidr}{ports}"
