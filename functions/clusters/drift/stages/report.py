"""The report of a detection: kept with the cluster, told as its condition, and what a repair leaves out by it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from functions.clusters.drift import records
from functions.clusters.drift.models import DriftReport as Report
from functions.clusters.drift.rules import plans
from functions.core import ledger, runtime
from functions.core.drifts import Drift, Unknown, found_in
from functions.core.ledger import conditions
from functions.core.ledger.items import timestamp
from functions.core.ledger.models import StageStatus
from functions.core.observations import ObservedCondition
from functions.core.stage import Applied, Done, Observation, StageContext

if TYPE_CHECKING:
    from datetime import datetime

    from functions.core.observations import Truth

CONDITION: Final = "InSync"
# A record of the table holds 400 KB at most.
_MOST: Final = 200


class DriftReport:
    """What the stages of this phase have found, put together."""

    def apply(self, context: StageContext) -> Applied:
        """Keep the report, and let a repair pass over what has not drifted."""
        report = _report(context)
        if records.keep(report):
            conditions.revise(context.cluster.tag, CONDITION, lambda standing: _revised(report, standing))
        if context.mends and context.stage.phase == plans.DRIFT:
            _pass_over(context)
        return Applied(report.message)

    def observe(self, context: StageContext) -> Observation:
        """Done: the report is what was seen, whatever it says."""
        report = _report(context)
        counts = {"in_sync": report.in_sync, "drifted": len(report.drifts), "unknown": len(report.unknown)}
        return Done({**counts, "message": report.message}, report.message)


def _report(context: StageContext) -> Report:
    found = _found(context)
    drifts = [each for each in found if isinstance(each, Drift)]
    unknown = [each for each in found if isinstance(each, Unknown)]
    status, _, message = plans.sentence(drifts, unknown)
    kept = found[:_MOST]
    return Report(
        cluster_tag=context.cluster.tag,
        operation_id=context.operation.operation_id,
        detected_at=_moment(context),
        spec_version=context.cluster.version,
        in_sync=cast("Truth", status),
        message=message,
        drifts=[each for each in kept if isinstance(each, Drift)],
        unknown=[each for each in kept if isinstance(each, Unknown)],
        more=len(found) - len(kept),
    )


def _found(context: StageContext) -> list[Drift | Unknown]:
    looked = [stage for stage in context.operation.stages if stage.phase == context.stage.phase]
    return [each for stage in looked for each in found_in(stage.result)]


def _moment(context: StageContext) -> datetime:
    return context.stage.started_at or runtime.now()


def _revised(report: Report, standing: ObservedCondition | None) -> ObservedCondition | None:
    order = f"{timestamp(report.detected_at)}#{report.operation_id}"
    if standing and standing.order >= order:
        return None
    status, reason, message = plans.sentence(report.drifts, report.unknown)
    since = standing.since if standing and standing.status == status else report.detected_at
    return ObservedCondition(status=cast("Truth", status), reason=reason, message=message, since=since, order=order)


def _pass_over(context: StageContext) -> None:
    pending = [stage for stage in context.operation.stages if stage.status is StageStatus.PENDING]
    names = plans.superfluous(_found(context), [(stage.phase, stage.name) for stage in pending])
    ledger.skip_stages(
        context.operation.operation_id,
        [stage.record for stage in pending if stage.name in names],
        "nothing had drifted",
    )
