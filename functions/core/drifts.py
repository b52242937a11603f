"""Drift: what differs from what was made, and what could not be looked at; as stages tell it and as it is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from functions.core.ledger.models import JsonObject

LONGEST_VALUE: Final = 300
# A stage's record holds 400 KB at most.
MOST_OF_A_STAGE: Final = 60
ABSENT: Final = "absent"
ASIDE: Final = "If the cluster is to have its own again, let its owner remove this one, then detect drift again."


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Drift(_Record):
    """One property of one resource that is not as it was made; without a property it is the resource as a whole.

    `repaired_by` is the stage that mends it; None where that is not ours to do, and `actual` then says why. `remedy`
    says what helps where it takes a person.
    """

    state: Literal["drifted"] = "drifted"
    resource: str
    kind: str
    property: str | None = None
    expected: str | None = None
    actual: str | None = None
    repaired_by: str | None = None
    remedy: str | None = None


class Unknown(_Record):
    """Something that could not be looked at, why, and what helps; a repair runs the stages that would mend it."""

    state: Literal["unknown"] = "unknown"
    resource: str
    kind: str
    why: str
    repaired_by: list[str] = []
    remedy: str | None = None


def drift(
    resource: str,
    kind: str,
    stage: str | None,
    name: str | None = None,
    *,
    expected: str | None,
    actual: str | None,
    remedy: str | None = None,
) -> Drift:
    """Make a drift whose values are cut to what a record can hold."""
    return Drift(
        resource=resource,
        kind=kind,
        property=name,
        expected=shortened(expected),
        actual=shortened(actual),
        repaired_by=stage,
        remedy=remedy,
    )


def theirs(resource: str, kind: str) -> Drift:
    """Tell that somebody put something of their own in the place of what was made, which is left alone."""
    return drift(resource, kind, None, expected="made here", actual="somebody else made it", remedy=ASIDE)


def shortened(text: str | None) -> str | None:
    """Cut a long text."""
    return text if text is None or len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"


def result_of(found: Iterable[Drift | Unknown]) -> JsonObject:
    """Write what a stage found as its result."""
    every = list(found)
    listed = [each.model_dump(mode="json", exclude_none=True) for each in every[:MOST_OF_A_STAGE]]
    more = len(every) - MOST_OF_A_STAGE
    return {"found": [*listed], **({"more": more} if more > 0 else {})}


def found_in(result: JsonObject) -> list[Drift | Unknown]:
    """Read what a stage found from its result."""
    listed = result.get("found")
    return [
        (Drift if each.get("state") == "drifted" else Unknown).model_validate(each)
        for each in (listed if isinstance(listed, list) else [])
        if isinstance(each, dict)
    ]
