"""Whether policies allow a request: an explicit denial wins, then both the role's own policy and its boundary allow.

Source: IAM user guide, "Policy evaluation logic". Policies of resources, sessions and organisations have no part in
what a deployment's roles may do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from infra.local.authorization.conditions import Context, Unjudgeable, holds
from infra.local.authorization.patterns import matches_action, matches_arn
from infra.privilege.documents import Effect

if TYPE_CHECKING:
    from infra.privilege.documents import Document, Statement


@dataclass(frozen=True)
class Asked:
    """One thing that is asked of IAM: an action on a resource, `*` where it is for none, and what the request says.

    Keys of the context may have any case.
    """

    action: str
    resource: str
    context: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def keys(self) -> Context:
        """Give the context by keys in lower case."""
        return {key.lower(): values for key, values in self.context.items()}


class Why(StrEnum):
    """Why something is denied, in IAM's own words."""

    SILENT = "because no identity-based policy allows the {action} action"
    DENIED = "with an explicit deny in an identity-based policy"
    BOUNDARY_SILENT = "because no permissions boundary allows the {action} action"
    BOUNDARY_DENIED = "with an explicit deny in a permissions boundary"


@dataclass(frozen=True)
class Allowed:
    """It may be done: the ids of all statements of the role's own policy that allow it, one of which would do."""

    sids: tuple[str, ...]


@dataclass(frozen=True)
class Denied:
    """It may not be done."""

    why: Why


Verdict: TypeAlias = Allowed | Denied


class Policy:
    """A document that is asked about again and again: which of its statements are for an action is found once."""

    def __init__(self, document: Document) -> None:
        self._statements = document.statements
        self._by_action: dict[str, tuple[Statement, ...]] = {}

    def naming(self, action: str) -> tuple[Statement, ...]:
        """Give the statements that are for an action, whatever they say of resources."""
        found = self._by_action.get(action)
        if found is None:
            found = tuple(each for each in self._statements if any(matches_action(one, action) for one in each.actions))
            self._by_action[action] = found
        return found


def evaluate(asked: Asked, policy: Policy, boundary: Policy | None = None) -> Verdict:
    """Judge one request; raises Unjudgeable for a policy that cannot be judged here."""
    own = _applying(asked, policy)
    if any(each.effect is Effect.DENY for each in own):
        return Denied(Why.DENIED)
    ceiling = None if boundary is None else _applying(asked, boundary)
    if ceiling is not None and any(each.effect is Effect.DENY for each in ceiling):
        return Denied(Why.BOUNDARY_DENIED)
    if not own:
        return Denied(Why.SILENT)
    return Denied(Why.BOUNDARY_SILENT) if ceiling == [] else Allowed(tuple(each.sid for each in own))


def _applying(asked: Asked, policy: Policy) -> list[Statement]:
    context = asked.keys()
    return [each for each in policy.naming(asked.action) if _applies(each, asked, context)]


def _applies(statement: Statement, asked: Asked, context: Context) -> bool:
    return _is_on(statement, asked.resource) and all(holds(condition, context) for condition in statement.conditions)


def _is_on(statement: Statement, resource: str) -> bool:
    if any("${" in pattern for pattern in statement.resources):
        raise Unjudgeable(f"{statement.sid}: policy variables are not simulated")
    return any(matches_arn(pattern, resource) for pattern in statement.resources) is not statement.elsewhere
