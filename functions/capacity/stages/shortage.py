"""What is said and done about groups that are short of instances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from botocore.exceptions import BotoCoreError, ClientError

from functions.aws import hyperpod_events, logs, offerings, training_plans
from functions.capacity.rules import alternatives
from functions.capacity.rules.alternatives import Alternatives, PlanOffering
from functions.capacity.rules.lifecycle_logs import Diagnosis, diagnose, pointer_in, shown
from functions.capacity.rules.shortfalls import EXPLAINED, PATIENCE, RECENT, Shortfall
from functions.core import runtime
from functions.core.errors import Cause, Layer, Problem, StageFailed
from functions.core.failures import failure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from functions.aws.hyperpod import Cluster
    from functions.aws.training_plans import Offering
    from functions.core.cluster import ClusterSpec, DesiredGroup
    from functions.core.stage import StageContext

_TAIL_LINES: Final = 50
_OFFERINGS: Final = 5


def shortfalls(context: StageContext, found: Cluster, short: Sequence[DesiredGroup]) -> list[Shortfall]:
    """Explain groups that are short by the newest failure of each, of the last minutes and of this stage's time only.

    What failed before belongs to an earlier operation, which this one is there to make good.
    """
    since = runtime.now() - RECENT
    failures = hyperpod_events.failures(found.name, max(since, context.stage.started_at or since))
    explained: list[Shortfall] = []
    for group in short[:EXPLAINED]:
        newest = next((each for each in failures if each.group in (group.name, "")), None)
        if newest:
            explained.append(Shortfall(group, hyperpod_events.words_of(found.name, newest), newest.instance_id))
    return explained


def verdict(context: StageContext, found: Cluster, shortfall: Shortfall) -> Problem | None:
    """Say whether a shortfall ends the stage, and with what; None while waiting may help."""
    if shortfall.lacks_capacity:
        return _refused_capacity(context, found, shortfall)
    if shortfall.needs_a_quota or _has_lasted(context, found, shortfall):
        return explain(context.cluster, found, shortfall)
    return None


def explain(cluster: ClusterSpec, found: Cluster, shortfall: Shortfall) -> Problem:
    """Make the problem of a launch that failed, with what the instance's own log says where there is one."""
    cause = Cause(layer=Layer.HYPERPOD, service="sagemaker", resource=shortfall.instance_id or found.arn)
    problem = failure(shortfall.words, cause)
    read = _read_log(cluster, shortfall)
    if read is None:
        return problem
    lines, diagnosis = read
    detail = f"{shortfall.words} The log ends with: {shown(lines)}"
    if diagnosis is None:
        return StageFailed(detail, cause=problem.cause, remedy=problem.remedy)
    return StageFailed(detail, cause=cause.model_copy(update={"code": diagnosis.code}), remedy=diagnosis.remedy)


def told(cluster: ClusterSpec, shortfall: Shortfall) -> str:
    """Write a shortfall for the reader, with the cause that the log names."""
    read = _read_log(cluster, shortfall)
    known = f" ({read[1].code}: {shown(read[0])})" if read and read[1] else ""
    return f"{shortfall.group.name}: {shortfall.words}{known}"


def _read_log(cluster: ClusterSpec, shortfall: Shortfall) -> tuple[list[str], Diagnosis | None] | None:
    pointer = pointer_in(shortfall.words)
    lines = logs.tail(pointer.group, pointer.stream, _TAIL_LINES) if pointer else None
    if not lines:
        return None
    own = shortfall.group.lifecycle
    bucket = own.source_uri.removeprefix("s3://").partition("/")[0] if own else cluster.bucket
    return lines, diagnose(lines, cluster.names.execution_role, bucket)


def _has_lasted(context: StageContext, found: Cluster, shortfall: Shortfall) -> bool:
    """Look whether the group failed as long ago as our patience goes, in this stage, and still does."""
    begun, now = context.stage.started_at or runtime.now(), runtime.now()
    if now - begun < PATIENCE:
        return False
    earlier = hyperpod_events.failures(found.name, begun, until=now - (PATIENCE - RECENT))
    return any(each.group == shortfall.group.name for each in earlier)


def _refused_capacity(context: StageContext, found: Cluster, shortfall: Shortfall) -> Problem | None:
    group, policy = shortfall.group, context.cluster.on_shortage
    if policy == "wait":
        return None
    if policy == "fail":
        return alternatives.unavailable(group, shortfall.words, found.arn)
    at = alternatives.place_of(group.name, context.operation.request)
    return alternatives.unavailable_but(group, at, shortfall.words, found.arn, _alternatives(context.cluster, group))


def _alternatives(cluster: ClusterSpec, group: DesiredGroup) -> Alternatives:
    """Gather what could be had; what cannot be found out stays open, it keeps nobody from the rest."""
    return Alternatives(_other_zones(cluster, group), _plans(group))


def _other_zones(cluster: ClusterSpec, group: DesiredGroup) -> list[str] | None:
    try:
        zones = offerings.zones_by_type([kind.removeprefix("ml.") for kind in group.types])
    except (BotoCoreError, ClientError):
        return None
    return sorted(frozenset().union(*zones.values()) - {group.availability_zone or cluster.availability_zone or ""})


def _plans(group: DesiredGroup) -> list[PlanOffering] | None:
    try:
        found = training_plans.search(group.types[0], group.instance_count)
    except (BotoCoreError, ClientError):
        return None
    return [PlanOffering(each.offering_id, _words_of(each)) for each in found[:_OFFERINGS]]


def _words_of(offered: Offering) -> str:
    place = f"{offered.count} in {offered.zone} from {offered.starts_at} UTC"
    return f"{offered.offering_id}: {place} for {offered.hours} h at {offered.fee}"
