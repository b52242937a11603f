"""Where the log of the lifecycle script that failed last is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.capacity.rules.lifecycle_logs import pointer_in
from functions.diagnostics.models.answers import Name
from functions.diagnostics.rules.events import classify

if TYPE_CHECKING:
    from functions.diagnostics.models.facts import Event, Facts, HyperPodSeen


def log_of(facts: Facts) -> tuple[str, str] | None:
    """Give the log group and stream that a failure names, or else where HyperPod puts them; None without one."""
    cluster = facts.hyperpod.value
    if cluster is None:
        return None
    events = facts.events.value.events if facts.events.value else ()
    failed = [event for event in events if classify(event.words)[0] is Name.EVENT_LIFECYCLE]
    messages = (*(event.words for event in failed), cluster.failure)
    pointer = next((found for words in messages if (found := pointer_in(words))), None)
    if pointer is not None:
        return pointer.group, pointer.stream
    return next((_usual(cluster, event) for event in failed if event.instance_id and event.group), None)


def _usual(cluster: HyperPodSeen, event: Event) -> tuple[str, str]:
    group = f"/aws/sagemaker/Clusters/{cluster.name}/{cluster.arn.rpartition('/')[2]}"
    return group, f"LifecycleConfig/{event.group}/{event.instance_id}"
