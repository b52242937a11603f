"""What a network ACL lets through of a kind of traffic, and the rules that would let all of it through.

Sources: Amazon VPC user guide, "Network ACL rules" (the rule with the lowest number that fits decides) and "Ephemeral
ports"; Amazon EC2 API reference, "CreateNetworkAclEntry" (a number that is taken is refused).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from ipaddress import IPv4Network
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from functions.diagnostics.models.answers import Priority

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from functions.diagnostics.models.traffic import AclRule

EVERYWHERE: Final = IPv4Network("0.0.0.0/0")
_TCP: Final = ("-1", "6")
# Who calls takes another port each time: where so few are open, hardly a connection comes about.
_NEARLY_NOTHING: Final = 0.05


@dataclass(frozen=True)
class Way:
    """A kind of TCP traffic of a subnet: its direction, the ports that it goes to, and whom it comes from or goes to.

    Without `core`, a part of the ports (all, where it is None), nothing works; without the rest of them something.
    """

    said: str
    outbound: bool
    ports: tuple[int, int]
    peers: tuple[IPv4Network, ...] = (EVERYWHERE,)
    core: tuple[int, int] | None = None
    priority: Priority = Priority.P0

    @property
    def option(self) -> str:
        """Give the word by which the AWS CLI knows the direction."""
        return "--egress" if self.outbound else "--ingress"


class Passage(Enum):
    """How much of a kind of traffic gets through."""

    ALL = auto()
    SOME = auto()
    NONE = auto()


def passage(rules: Iterable[AclRule], way: Way) -> Passage:
    """Say how much gets through: of each stretch of ports that rules tell apart, which addresses do."""
    about, wanted = rules_about(rules, way), sum(each.num_addresses for each in way.peers)
    let = {stretch: _addresses(about, stretch[0], way.peers) for stretch in _stretches(about, way)}
    if all(count == wanted for count in let.values()):
        return Passage.ALL
    low, high = way.core or way.ports
    some = sum(last - first + 1 for (first, last), count in let.items() if count and low <= first and last <= high)
    return Passage.SOME if some > _NEARLY_NOTHING * (high - low + 1) else Passage.NONE


def rules_about(rules: Iterable[AclRule], way: Way) -> list[AclRule]:
    """List the rules that decide on a part of some traffic, in their order."""
    fitting = (rule for rule in rules if rule.outbound is way.outbound and rule.protocol in _TCP)
    return sorted((rule for rule in fitting if _meets(rule, way)), key=lambda rule: rule.number)


def _meets(rule: AclRule, way: Way) -> bool:
    low, high = rule.ports or way.ports
    return low <= way.ports[1] and way.ports[0] <= high and any(_range(rule).overlaps(each) for each in way.peers)


def _range(rule: AclRule) -> IPv4Network:
    return IPv4Network(rule.cidr, strict=False)


def _stretches(rules: Iterable[AclRule], way: Way) -> Iterator[tuple[int, int]]:
    """Part ports where a rule begins or ends: on all ports of a stretch the same is decided."""
    edges = {way.ports[0], way.ports[1] + 1}
    for low, high in filter(None, (way.core, *(rule.ports for rule in rules))):
        edges |= {low, high + 1}
    for first, beyond in pairwise(sorted(edge for edge in edges if way.ports[0] <= edge <= way.ports[1] + 1)):
        yield first, beyond - 1


def _addresses(rules: Iterable[AclRule], port: int, peers: Sequence[IPv4Network]) -> int:
    """Count the addresses that are let through on a port: each is decided on by the first rule that it is in."""
    left, let = [*peers], 0
    for rule in rules:
        if rule.ports is None or rule.ports[0] <= port <= rule.ports[1]:
            before = sum(each.num_addresses for each in left)
            left = [rest for each in left for rest in _without(each, _range(rule))]
            let += before - sum(each.num_addresses for each in left) if rule.allows else 0
    return let


def _without(whole: IPv4Network, part: IPv4Network) -> Iterable[IPv4Network]:
    """Take a range away from another: two ranges lie within each other, or apart."""
    if whole.subnet_of(part):
        return ()
    return whole.address_exclude(part) if part.subnet_of(whole) else (whole,)
