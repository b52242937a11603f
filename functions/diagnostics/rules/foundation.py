"""The foundation stack: whether it stands, and else its first real failure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.diagnostics.models.answers import Name, Priority
from functions.diagnostics.rules.saying import cut, fact, failed, noted, passed, unchecked, warned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from functions.diagnostics.models.answers import Check
    from functions.diagnostics.models.facts import Facts, StackSeen

_NAME: Final = Name.FOUNDATION_STACK
_STANDS: Final = frozenset({"CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS"})
# The change failed, and what stood before it stands, or is being brought back.
_CHANGE_FAILED: Final = frozenset(
    {
        "UPDATE_ROLLBACK_IN_PROGRESS",
        "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS",
        "UPDATE_ROLLBACK_COMPLETE",
    }
)
_READY: Final = "FoundationReady"
_CAUSE: Final = 300


def is_broken(status: str) -> bool:
    """Say whether a stack has failed, or goes back from a failure."""
    return "FAILED" in status or "ROLLBACK" in status


def check(facts: Facts) -> Iterator[Check]:
    """Judge the stack; an imported cluster has none of ours."""
    stack = facts.spec.names.stack
    if stack is None:
        yield noted(_NAME, "the cluster was imported: its foundation was made by others, and has no stack of ours")
    elif not facts.stack.known:
        yield unchecked(_NAME, facts.stack, stack)
    elif facts.stack.value is None:
        yield _absent(facts, stack)
    else:
        yield _standing(facts.stack.value, stack)


def _absent(facts: Facts, stack: str) -> Check:
    if facts.ledger.says(_READY):
        remedy = "Somebody deleted the stack; what it made is gone. Delete the cluster here and create it anew."
        return failed(_NAME, Priority.P0, f"the stack {stack} stood and is gone", remedy, stack)
    return noted(_NAME, f"the stack {stack} is not there yet", stack)


def _standing(found: StackSeen, stack: str) -> Check:
    status = fact("stack_status", found.status)
    if found.status in _STANDS:
        return passed(_NAME, f"the stack {stack} is {found.status}", stack)
    if not is_broken(found.status):
        return noted(_NAME, f"the stack {stack} is {found.status}", stack, [status])
    problem = found.failure.value
    cause = problem.cause if problem else None
    why = cut(problem.detail, _CAUSE) if problem else f"its events were not read ({found.failure.why})"
    seen = [status, fact("cause_code", cause.code if cause else None), fact("type", cause.resource if cause else None)]
    remedy = (problem and problem.remedy) or "Read the stack's events, and remove the first failure among them."
    message = f"the stack {stack} is {found.status}: {why}"
    if found.status in _CHANGE_FAILED:
        return warned(_NAME, Priority.P1, message, remedy, found.stack_id, seen)
    return failed(_NAME, Priority.P0, message, remedy, found.stack_id, seen)
