"""Decisions about add-ons: when one counts as installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

# The only complaint of an add-on that has no node to run on yet.
LACKS_NODES: Final = "InsufficientNumberOfReplicas"
_FAILED: Final = frozenset({"CREATE_FAILED", "UPDATE_FAILED", "DELETE_FAILED"})


def stands(status: str, issues: Mapping[str, str]) -> bool:
    """Say whether an add-on is as far as it gets before the first node: active, or held up by lack of nodes only."""
    return status == "ACTIVE" or (status in ("CREATING", "DEGRADED") and waits_for_nodes(issues))


def waits_for_nodes(issues: Mapping[str, str]) -> bool:
    """Say whether lack of nodes is all that an add-on complains of."""
    return set(issues) == {LACKS_NODES}


def broken(status: str, issues: Mapping[str, str]) -> bool:
    """Say whether an add-on will not come right by itself."""
    return status in _FAILED or (status == "DEGRADED" and bool(issues) and not waits_for_nodes(issues))
