"""Lifecycle scripts: whether each lies where its group fetches it and can run, and what a failed one wrote last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.capacity.preflight.rules.scripts import fault
from functions.capacity.rules.lifecycle_logs import SHOWN_LINES, diagnose, shown
from functions.diagnostics.models.answers import Name, Priority
from functions.diagnostics.rules.hyperpod import wanted
from functions.diagnostics.rules.saying import fact, failed, few, noted, passed, unchecked, unread, warned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from functions.core.cluster import DesiredGroup
    from functions.diagnostics.models.answers import Check
    from functions.diagnostics.models.facts import Facts, Log

_SCRIPT, _LOG = Name.LIFECYCLE_SCRIPT, Name.LIFECYCLE_LOG
# Where the release's own script lies in the cluster's bucket.
_OWN: Final = "lifecycle/on_create.sh"


def places_of(facts: Facts) -> dict[str, list[str]]:
    """Say where the scripts lie, each with the groups that run it."""
    found: dict[str, list[str]] = {}
    for group in wanted(facts):
        if place := _place(facts, group):
            found.setdefault(place, []).append(group.name)
    return found


def _place(facts: Facts, group: DesiredGroup) -> str | None:
    own = group.lifecycle
    if own is None:
        return f"s3://{facts.spec.names.bucket}/{_OWN}" if facts.spec.names.bucket else None
    script = own.on_create or own.on_init_complete
    return f"{own.source_uri.rstrip('/')}/{script}" if script else None


def check(facts: Facts) -> Iterator[Check]:
    """Judge each script, then the log of the one that failed last."""
    yield from unread(_SCRIPT, facts.hyperpod)
    groups, well = places_of(facts), list[str]()
    for place, seen in facts.scripts.items():
        if not seen.known:
            yield unchecked(_SCRIPT, seen, place)
        elif seen.value is None and not _expected(facts):
            yield noted(_SCRIPT, f"{place} is not there yet", place)
        elif wrong := fault(seen.value):
            message = f"the lifecycle script {place} of {few(groups.get(place, []))} {wrong[0]}"
            size = fact("size", seen.value.size) if seen.value else None
            yield failed(_SCRIPT, Priority.P0, message, f"{wrong[1]} {_put(facts)}", place, [size])
        else:
            well.append(place)
    if well:
        yield passed(_SCRIPT, f"{few(well)} can be fetched and run")
    yield from _log(facts)


def _expected(facts: Facts) -> bool:
    """Say whether scripts have to be there: HyperPod has been asked for instances, or they are somebody's own."""
    return facts.hyperpod.value is not None


def _put(facts: Facts) -> str:
    if facts.spec.origin == "imported":
        return "HyperPod tries again by itself."
    return f"The release's own is brought back by POST /api/clusters/{facts.spec.tag}/repair; HyperPod tries again."


def _log(facts: Facts) -> Iterator[Check]:
    seen = facts.log
    if not seen.asked:
        yield from unread(_LOG, facts.events)
        return
    if seen.value is None:
        yield unchecked(_LOG, seen)
        return
    place = f"{seen.value.group}:{seen.value.stream}"
    if not seen.value.lines:
        message = f"there is no log {seen.value.stream}: the instance failed before its script began"
        yield warned(_LOG, Priority.P1, message, "Look at security groups and routes first.", place)
        return
    yield _failed(facts, seen.value, seen.value.lines, place)


def _failed(facts: Facts, log: Log, lines: tuple[str, ...], place: str) -> Check:
    bucket = next(iter(places_of(facts)), "s3://the bucket/").removeprefix("s3://").partition("/")[0]
    known = diagnose(lines, facts.spec.names.execution_role, bucket)
    last = [fact("log", line.strip()) for line in lines[-SHOWN_LINES:] if line.strip()]
    seen = [fact("cause_code", known.code if known else None), *last]
    message = f"the lifecycle log {log.stream} ends with: {shown(lines)}"
    remedy = known.remedy if known else "Correct what the log names in the script; HyperPod runs it again by itself."
    return failed(_LOG, Priority.P0, message, remedy, place, seen)
