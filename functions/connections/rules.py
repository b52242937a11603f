"""Who is to hear of what: topics by name, and what a table's stream tells."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from functions.connections.models import Topic

MAX_TOPICS: Final = 20
# What anybody begins, on any cluster, and what AWS tells of any.
EVERYTHING: Final = "all"


def topic_of(asked: Topic, caller: str) -> str:
    """Name the topic that a client asks for."""
    if asked.operation_id is not None:
        return operation_topic(asked.operation_id)
    if asked.cluster_tag is not None:
        return cluster_topic(asked.cluster_tag)
    return caller_topic(caller) if asked.mine else EVERYTHING


def operation_topic(operation_id: str) -> str:
    """Name the topic of one operation."""
    return f"operation#{operation_id}"


def cluster_topic(cluster_tag: str) -> str:
    """Name the topic of everything that happens to a cluster."""
    return f"cluster#{cluster_tag}"


def caller_topic(caller: str) -> str:
    """Name the topic of everything that a caller began."""
    return f"caller#{caller}"


def topics_of_operation(operation_id: str, cluster_tag: str, caller: str) -> frozenset[str]:
    """Name the topics that hear of an operation."""
    return frozenset({operation_topic(operation_id), cluster_topic(cluster_tag), caller_topic(caller), EVERYTHING})


def topics_of_event(cluster_tag: str) -> frozenset[str]:
    """Name the topics that hear of what AWS tells of a cluster."""
    return frozenset({cluster_topic(cluster_tag), EVERYTHING})


@dataclass(frozen=True)
class Change:
    """Something that a stream tells; what is told of the same `subject` is told once, as it stands when it is sent.

    `sequence` is the stream's number of the record.
    """

    sequence: str
    subject: str
    topics: frozenset[str] = field(default_factory=frozenset)


def newest(changes: Iterable[Change]) -> Iterator[Change]:
    """Leave out all but the first change of each subject."""
    seen: set[str] = set()
    for change in changes:
        if change.subject not in seen:
            seen.add(change.subject)
            yield change
