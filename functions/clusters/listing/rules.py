"""What a cluster's conditions come to in one word, and which clusters a list is narrowed to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from functions.clusters.models import Summary, SummaryStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from functions.clusters.models import Condition
    from functions.core.cluster import ClusterSpec

# Why a condition does not hold though nothing is wrong: it was taken away on purpose.
_ON_PURPOSE: Final = frozenset({"Removed"})


@dataclass(frozen=True)
class Filter:
    """What a list of clusters is narrowed to; all are ANDed. `contains` is part of the tag."""

    contains: str | None = None
    status: SummaryStatus | None = None
    origin: str | None = None
    owner_group: str | None = None
    availability_zone: str | None = None

    def takes(self, spec: ClusterSpec, summary: Summary) -> bool:
        """Say whether a cluster is one of those."""
        return (
            (self.contains or "") in spec.tag
            and self.status in (None, summary.status)
            and self.origin in (None, spec.origin)
            and (self.owner_group is None or self.owner_group in spec.owner_groups)
            and self.availability_zone in (None, spec.availability_zone)
        )


def summary_of(conditions: Sequence[Condition], active_operation_ids: Sequence[str]) -> Summary:
    """Say how a cluster stands, by the worst that is known of it.

    What changes is CHANGING whatever its conditions, which are of the time before; a False condition makes it
    DEGRADED, an Unknown one UNKNOWN; a cluster of which nothing is known yet is UNKNOWN too.
    """
    if active_operation_ids:
        message = f"operation {active_operation_ids[0]} is at work"
        return Summary(status=SummaryStatus.CHANGING, reason="OperationInProgress", message=message)
    for status, meaning in (("False", SummaryStatus.DEGRADED), ("Unknown", SummaryStatus.UNKNOWN)):
        for condition in conditions:
            if condition.status == status and condition.reason not in _ON_PURPOSE:
                return _because_of(condition, meaning)
    if any(condition.status == "True" for condition in conditions):
        return Summary(status=SummaryStatus.READY, reason="AllConditionsHold", message="nothing is known to be wrong")
    return Summary(status=SummaryStatus.UNKNOWN, reason="NothingKnown", message="no operation has made anything of it")


def _because_of(condition: Condition, status: SummaryStatus) -> Summary:
    return Summary(
        status=status,
        reason=f"{condition.type}{condition.reason or condition.status}",
        message=condition.message or f"the condition {condition.type} is {condition.status}",
        since=condition.since,
    )
