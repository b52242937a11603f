"""The failures that HyperPod reported: the newest of each of a few groups, those that lack instances first."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from functions.aws import hyperpod_events
from functions.core import runtime
from functions.core.redaction import redacted
from functions.diagnostics.models.answers import Area
from functions.diagnostics.models.facts import Event, EventsSeen
from functions.diagnostics.rules.areas import any_of
from functions.diagnostics.rules.hyperpod import short

if TYPE_CHECKING:
    from collections.abc import Collection

    from functions.aws.hyperpod_events import Failure
    from functions.core.gathering import Asked, Gathering
    from functions.diagnostics.models.facts import Facts

# HyperPod keeps the newest five hundred events of a cluster, however old.
_SINCE: Final = timedelta(days=14)
# Each takes a call: why something failed stands only in the event's details.
_EXPLAINED: Final = 4


def ask(known: Facts, areas: Collection[Area], around: Gathering) -> Asked[EventsSeen]:
    """Ask for failures; only clusters with continuous provisioning have any."""
    found = known.hyperpod.value
    wanted = found is not None and found.continuous and any_of(areas, Area.HYPERPOD, Area.LIFECYCLE)
    lacking = [group.name for group in short(known)]
    return around.ask("cluster_events", lambda: _newest(found.name if found else "", lacking), wanted=wanted)


def _newest(name: str, lacking: list[str]) -> EventsSeen:
    failures = hyperpod_events.failures(name, runtime.now() - _SINCE)
    counts = Counter(failure.group for failure in failures)
    newest = {failure.group: failure for failure in reversed(failures)}
    ordered = sorted(newest.values(), key=lambda each: (each.group not in lacking, -each.at.timestamp(), each.group))
    explained = tuple(_event(name, failure, counts[failure.group]) for failure in ordered[:_EXPLAINED])
    return EventsSeen(explained, max(0, len(ordered) - _EXPLAINED))


def _event(name: str, failure: Failure, count: int) -> Event:
    words = redacted(hyperpod_events.words_of(name, failure))
    return Event(failure.at, failure.group, failure.instance_id, words, count)
