"""How checks are said: each in a few words, with as much evidence as helps and no more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.diagnostics.models.answers import Check, Fact, Priority, Status
from functions.diagnostics.rules.sections import AREAS, runbook_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from functions.diagnostics.models.answers import Name
    from functions.diagnostics.models.facts import Seen

NAMED: Final = 3
_FACTS: Final = 6
_WORDS: Final = 320
_TEXT: Final = 480
UNCHECKED: Final = "unchecked"


def fact(name: str, value: str | float | bool | None, at: datetime | None = None) -> Fact | None:
    """Note one thing that was seen, not too long; None when there was nothing."""
    if value is None or value == "":
        return None
    return Fact(name=name, value=cut(value, _WORDS) if isinstance(value, str) else value, at=at)


def passed(name: Name, message: str, resource: str | None = None, facts: Iterable[Fact | None] = ()) -> Check:
    """Say that something is as it has to be."""
    return _check(name, Status.PASS, message, resource, facts)


def noted(name: Name, message: str, resource: str | None = None, facts: Iterable[Fact | None] = ()) -> Check:
    """Say something that is neither right nor wrong, such as that a part is not there yet."""
    return _check(name, Status.INFO, message, resource, facts)


def failed(
    name: Name,
    priority: Priority,
    message: str,
    remedy: str | None,
    resource: str | None = None,
    facts: Iterable[Fact | None] = (),
) -> Check:
    """Say that something is wrong, and what helps."""
    made = _check(name, Status.FAIL, message, resource, facts)
    return made.model_copy(update={"priority": priority, "remedy": cut(remedy, _TEXT) if remedy else None})


def warned(
    name: Name,
    priority: Priority,
    message: str,
    remedy: str | None = None,
    resource: str | None = None,
    facts: Iterable[Fact | None] = (),
) -> Check:
    """Say that something may be, or may become, wrong."""
    made = failed(name, priority, message, remedy, resource, facts)
    return made.model_copy(update={"status": Status.WARN})


def unchecked(name: Name, seen: Seen[object], resource: str | None = None) -> Check:
    """Say that something could not be looked at, and why; nothing follows from that."""
    remedy = "Diagnose again in a moment; if AWS denies the call, deploy the control plane's roles again."
    return warned(name, Priority.P2, f"{UNCHECKED}: {seen.why}", remedy, resource)


def unread(name: Name, *parts: Seen[object]) -> list[Check]:
    """Say that a check had nothing to go by, if a part that it depends on could not be read."""
    return [unchecked(name, part) for part in parts if part.why][:1]


def is_unchecked(check: Check) -> bool:
    """Say whether a check could not be made."""
    return check.message.startswith(f"{UNCHECKED}: ")


def few(names: Sequence[str]) -> str:
    """Name the first few of many."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}"


def cut(text: str, length: int) -> str:
    """Shorten a text that is too long."""
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _check(name: Name, status: Status, message: str, resource: str | None, facts: Iterable[Fact | None]) -> Check:
    seen = [each for each in facts if each is not None]
    return Check(
        check=name,
        area=AREAS[name],
        status=status,
        message=cut(message, _TEXT),
        resource=resource,
        evidence=seen[:_FACTS],
        more_evidence=max(0, len(seen) - _FACTS),
        runbook=runbook_of(name),
    )
