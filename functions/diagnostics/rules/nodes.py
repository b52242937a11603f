"""Instances as HyperPod lists them, and the health of nodes as it has told the control plane."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from functions.core.failures import recognise
from functions.diagnostics.models.answers import Name, Priority
from functions.diagnostics.rules.saying import cut, fact, failed, few, noted, passed, unchecked, unread

if TYPE_CHECKING:
    from collections.abc import Iterator

    from functions.diagnostics.models.answers import Check
    from functions.diagnostics.models.facts import Facts, Node, NodesSeen

_STATUS, _HEALTH = Name.NODE_STATUS, Name.NODE_HEALTH
_FAILED: Final = frozenset({"Failure", "NotFound"})
_CONDITION: Final = "NodesHealthy"
_WORDS: Final = 240
_LADDER: Final = "Investigate first, then reboot, and replace only what a reboot does not mend: that wipes its volumes."


def check(facts: Facts) -> Iterator[Check]:
    """Judge what HyperPod lists, then what it has told."""
    yield from unread(_STATUS, facts.hyperpod)
    if facts.nodes.asked:
        yield from _statuses(facts.nodes.value) if facts.nodes.value else [unchecked(_STATUS, facts.nodes)]
    if facts.hyperpod.value is not None:
        yield from _health(facts)


def _statuses(seen: NodesSeen) -> Iterator[Check]:
    counts = Counter(node.status for node in seen.nodes)
    said = few([f"{count} {status}" for status, count in counts.most_common()]) or "no instance"
    broken = [node for node in seen.nodes if node.status in _FAILED]
    facts = [fact(status, count) for status, count in counts.most_common()]
    if broken:
        yield _broken(broken)
    elif counts.keys() <= {"Running"}:
        yield passed(_STATUS, f"HyperPod lists {said}", None, facts)
    else:
        yield noted(_STATUS, f"HyperPod lists {said}", None, facts)
    if not seen.complete:
        yield noted(_STATUS, f"only the first {len(seen.nodes)} instances were looked at")


def _broken(broken: list[Node]) -> Check:
    first = broken[0]
    words = cut(first.message, _WORDS) or "HyperPod gives no reason"
    known = recognise(first.message)
    message = f"{len(broken)} instances failed: {few([node.instance_id for node in broken])}; the first: {words}"
    facts = [fact(f"{node.group}/{node.instance_id}", node.message or node.status) for node in broken]
    return failed(_STATUS, Priority.P1, message, known.remedy if known else _LADDER, first.instance_id, facts)


def _health(facts: Facts) -> Iterator[Check]:
    recorded = facts.ledger.conditions.get(_CONDITION)
    if recorded is None:
        yield noted(_HEALTH, "HyperPod has told nothing about the health of nodes")
    elif recorded.status == "True":
        yield passed(_HEALTH, "HyperPod last told that all nodes are healthy")
    else:
        message = f"HyperPod told of nodes that are not healthy: {recorded.message}"
        yield failed(_HEALTH, Priority.P1, message, _LADDER, None, [fact("condition", recorded.message)])
