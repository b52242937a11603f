"""Decisions about a helm release: what its revisions call for, and which values a chart gets."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import JsonValue

MANAGED_BY: Final = "managed-by"
MANAGER: Final = "instantstart"
CONTENT: Final = "instantstart-content"
# A worker lives at most this long; what is pending longer was left by one that is gone.
WORKER_LIFE: Final = timedelta(seconds=330)


class Step(StrEnum):
    """What to do about a release."""

    NOTHING = "nothing"
    UPGRADE = "upgrade"
    WAIT = "wait"
    ROLL_BACK = "roll_back"
    UNINSTALL = "uninstall"
    REFUSE = "refuse"


@dataclass(frozen=True)
class Revision:
    """What decides: a revision's number, status, age and marks."""

    revision: int
    status: str
    created_at: datetime
    labels: Mapping[str, str]
    chart_version: str = ""
    values: Mapping[str, JsonValue] | None = None

    @property
    def pending(self) -> bool:
        """Say whether a worker is at it, or was when it went."""
        return self.status.startswith("pending")


@dataclass(frozen=True)
class Decision:
    """The next step, and the revision to go back to."""

    step: Step
    revision: int = 0


@dataclass(frozen=True)
class Wanted:
    """What a release is to be made of; `content` marks chart and values together."""

    content: str
    version: str
    values: Mapping[str, JsonValue]


def differences(newest: Revision, wanted: Wanted) -> list[tuple[str, str, str]]:
    """List what differs of a deployed revision: property, expected, actual. What it does not tell is not judged."""
    if newest.chart_version and newest.chart_version != wanted.version:
        return [("chart version", wanted.version, newest.chart_version)]
    if newest.values is not None and newest.values != wanted.values:
        names = sorted(
            name for name in {*newest.values, *wanted.values} if newest.values.get(name) != wanted.values.get(name)
        )
        return [(f"value {name}", _text(wanted.values.get(name)), _text(newest.values.get(name))) for name in names]
    mark = newest.labels.get(CONTENT)
    return [] if mark == wanted.content else [("content", wanted.content, mark or "unmarked")]


def _text(value: JsonValue) -> str:
    return json.dumps(value, sort_keys=True)


def decide(revisions: Sequence[Revision], wanted: Wanted, now: datetime) -> Decision:
    """Choose the next step from a release's revisions, newest first.

    A mark stays with a release that somebody upgraded by hand, so the values themselves are compared too.
    """
    if not revisions:
        return Decision(Step.UPGRADE)
    newest = revisions[0]
    if newest.labels.get(MANAGED_BY) != MANAGER:
        return Decision(Step.REFUSE)
    if newest.pending:
        return _about_pending(revisions, now)
    if newest.status == "deployed" and not differences(newest, wanted):
        return Decision(Step.NOTHING)
    return Decision(Step.UPGRADE)


def _about_pending(revisions: Sequence[Revision], now: datetime) -> Decision:
    if now - revisions[0].created_at < WORKER_LIFE:
        return Decision(Step.WAIT)
    stood = next((each for each in revisions if each.status in ("deployed", "superseded")), None)
    return Decision(Step.ROLL_BACK, stood.revision) if stood else Decision(Step.UNINSTALL)


def content_of(chart_digest: str, values: Mapping[str, JsonValue]) -> str:
    """Mark a chart with its values: the same mark means that there is nothing to upgrade."""
    canonical = json.dumps({"chart": chart_digest, "values": values}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:32]
