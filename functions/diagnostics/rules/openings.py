"""The commands that open a network ACL for what it keeps back.

Source: Amazon EC2 API reference, "CreateNetworkAclEntry" (a number that is taken is refused) and
"ReplaceNetworkAclEntry".
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from functions.diagnostics.models.traffic import AclRule
from functions.diagnostics.rules.passage import Passage, Way, passage, rules_about

if TYPE_CHECKING:
    from collections.abc import Iterable

    from functions.diagnostics.models.traffic import NetworkAcl

# The refusal that every ACL ends with has this number, and cannot be replaced.
_LAST: Final = 32_767
# So many commands a remedy has room for.
_TOLD: Final = 2


def commands(acl: NetworkAcl, ways: Iterable[Way]) -> str:
    """Write the first commands that let all of some traffic through, each on top of those before it."""
    made: list[str] = []
    for way in (replace(each, peers=(peer,)) for each in ways for peer in each.peers):
        if passage(acl.rules, way) is not Passage.ALL:
            acl, command = _opened(acl, way)
            made.append(command)
    return "; ".join([*made[:_TOLD], *(["then diagnose again for the rest"] if len(made) > _TOLD else [])])


def _opened(acl: NetworkAcl, way: Way) -> tuple[NetworkAcl, str]:
    """Put a rule in front of the first that refuses; where no number is free there, in its place."""
    refusing = next((rule.number for rule in rules_about(acl.rules, way) if not rule.allows), _LAST)
    taken = {rule.number for rule in acl.rules if rule.outbound is way.outbound}
    taken |= {number for outbound, number in acl.other_numbers if outbound is way.outbound}
    number = next((free for free in range(refusing - 1, 0, -1) if free not in taken), refusing)
    rule = AclRule(number, way.outbound, allows=True, protocol="6", cidr=str(way.peers[0]), ports=way.ports)
    others = (each for each in acl.rules if (each.outbound, each.number) != (way.outbound, number))
    call = "replace-network-acl-entry" if number in taken else "create-network-acl-entry"
    return replace(acl, rules=(*others, rule)), _command(f"aws ec2 {call} --network-acl-id {acl.acl_id}", rule, way)


def _command(call: str, rule: AclRule, way: Way) -> str:
    low, high = way.ports
    return (
        f"{call} {way.option} --rule-number {rule.number} --protocol tcp --port-range From={low},To={high} "
        f"--cidr-block {rule.cidr} --rule-action allow"
    )
