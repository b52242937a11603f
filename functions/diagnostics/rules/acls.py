"""Network ACLs of the subnets that nodes depend on: their own, their NAT gateway's, the control plane's."""

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

_ACL: Final = Name.NETWORK_ACL


def check(facts: Facts) -> Iterator[Check]:
    """Judge for each subnet the network ACL that it has: exactly one."""
    yield from unread(_ACL, facts.acls, facts.vpc)
    vpc = facts.vpc.value
    if vpc is None:
        return
    apart = {each for each in placed(facts, vpc) if not onward(vpc.table_of(each))}
    for subnet_id, ways in ways_of(facts, vpc).items():
        for acl in (each for each in facts.acls.value or () if subnet_id in each.subnet_ids):
            # What such a subnet needs is in the VPC, or what it is given; a NAT gateway's own leads to the internet.
            inside = subnet_id in apart and subnet_id not in facts.nat_subnets.values()
            yield _judged(acl, subnet_id, ways, inside=inside, eks=facts.eks.value is not None)


def _judged(acl: NetworkAcl, subnet_id: str, ways: Sequence[Way], *, inside: bool, eks: bool) -> Check:
    """Judge a network ACL, which keeps no state: what goes out does not let its answers in."""
    found = {way: passage(acl.rules, way) for way in ways}
    lacking = [way for way, how_much in found.items() if how_much is not Passage.ALL]
    shut = [way for way in lacking if found[way] is Passage.NONE]
    seen = [fact("network_acl", acl.acl_id)]
    seen += [fact(f"rules on {way.said}", _rules_on(acl.rules, way)) for way in shut or lacking]
    if shut:
        message = f"{acl.acl_id} keeps {_all(shut)} of {subnet_id} back"
        return failed(_ACL, min(way.priority for way in shut), message, commands(acl, shut), subnet_id, seen)
    if lacking:
        message = f"{acl.acl_id} lets only a part of {_all(lacking)} of {subnet_id} through"
        if inside and all(way.peers == (EVERYWHERE,) for way in lacking):
            return noted(_ACL, message, subnet_id, seen)
        remedy = f"See that nothing of AWS is kept back, or: {commands(acl, lacking)}"
        return warned(_ACL, Priority.P1, message, remedy, subnet_id, seen)
    rest = "" if eks else "; what the control plane needs is not checked"
    return passed(_ACL, f"{acl.acl_id} lets {_all(ways)} of {subnet_id} through{rest}", subnet_id)


def _all(ways: Sequence[Way]) -> str:
    return " and ".join(way.said for way in ways)


def _rules_on(rules: Sequence[AclRule], way: Way) -> str:
    return few([_said(rule) for rule in rules_about(rules, way)])


def _said(rule: AclRule) -> str:
    ports = f" {rule.ports[0]}-{rule.ports[1]}" if rule.ports else ""
    return f"{rule.number} {'allow' if rule.allows else 'deny'} {rule.cidr}{ports}"
