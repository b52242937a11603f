"""What a Job's status says: counts, and why it is over."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from infra.local.kubernetes.controllers.cluster import Cluster
from infra.local.kubernetes.controllers.conditions import find_condition, holds, with_condition
from infra.local.kubernetes.controllers.indexes import completed_indexes, written
from infra.local.kubernetes.controllers.pods import is_active, is_ready
from infra.local.kubernetes.controllers.times import earliest, later, moment_at
from infra.local.kubernetes.documents import JsonObject, integer, objects, text, value_at
from infra.local.kubernetes.metadata import timestamp

_MESSAGES = {
    "BackoffLimitExceeded": "Job has reached the specified backoff limit",
    "DeadlineExceeded": "Job was active longer than specified deadline",
}


@dataclass(frozen=True)
class JobCount:
    """The pods of a Job by what became of them; `remaining` is None for a work queue."""

    pods: list[JsonObject]
    active: list[JsonObject]
    succeeded: int
    failed: int
    restarts: int
    remaining: int | None
    last_failure: datetime | None

    @property
    def enough(self) -> bool:
        """Whether the Job has all the successes it needs; a work queue ends with its last pod."""
        if self.remaining is None:
            return bool(self.succeeded) and not self.active
        return self.remaining <= 0


def is_finished_job(job: JsonObject) -> bool:
    """Whether a Job is complete or failed."""
    return holds(job, "Complete") or holds(job, "Failed")


def count(job: JsonObject, pods: list[JsonObject]) -> JobCount:
    """Count the pods of a Job; what ended stays counted when its pod is deleted."""
    phases = [text(pod, "status", "phase") for pod in pods]
    succeeded = max(phases.count("Succeeded"), integer(job, "status", "succeeded"))
    if text(job, "spec", "completionMode") == "Indexed":
        succeeded = len(completed_indexes(job, pods))
    completions = value_at(job, "spec", "completions")
    active = [pod for pod in pods if is_active(pod)]
    return JobCount(
        pods=pods,
        active=sorted(active, key=lambda pod: not is_ready(pod)),
        succeeded=succeeded,
        failed=max(phases.count("Failed"), integer(job, "status", "failed")),
        restarts=sum(integer(s, "restartCount") for p in active for s in objects(p, "status", "containerStatuses")),
        remaining=completions - succeeded if isinstance(completions, int) else None,
        last_failure=_last_failure(pods),
    )


def failure_of(job: JsonObject, counted: JobCount, now: datetime) -> str:
    """Why a Job has failed, empty while it has not."""
    limit = value_at(job, "spec", "backoffLimit")
    if counted.failed + counted.restarts > (limit if isinstance(limit, int) else 6):
        return "BackoffLimitExceeded"
    started, seconds = moment_at(job, "status", "startTime"), integer(job, "spec", "activeDeadlineSeconds")
    suspended = bool(value_at(job, "spec", "suspend"))
    if started and seconds and not suspended and later(started, seconds) <= now and not counted.enough:
        return "DeadlineExceeded"
    return ""


def job_status(cluster: Cluster, job: JsonObject, counted: JobCount, failure: str) -> JsonObject:
    """The status of a Job that was not finished before."""
    status = _counts(job, counted)
    conditions = objects(job, "status", "conditions")
    suspended = bool(value_at(job, "spec", "suspend"))
    if suspended or find_condition(conditions, "Suspended"):
        reason, message = ("JobSuspended", "Job suspended") if suspended else ("JobResumed", "Job resumed")
        conditions = with_condition(conditions, "Suspended", suspended, cluster.now, reason, message)
    started = text(job, "status", "startTime")
    if not suspended:
        status["startTime"] = started or timestamp(cluster.now)
    if failure:
        conditions = _ended(cluster, conditions, ("FailureTarget", "Failed"), failure, _MESSAGES[failure])
    elif counted.enough:
        message = "Reached expected number of succeeded pods"
        conditions = _ended(cluster, conditions, ("SuccessCriteriaMet", "Complete"), "CompletionsReached", message)
        status["completionTime"] = timestamp(cluster.now)
    return {**status, **({"conditions": conditions} if conditions else {})}


def _counts(job: JsonObject, counted: JobCount) -> JsonObject:
    counts = {
        "active": len(counted.active),
        "ready": sum(1 for pod in counted.active if is_ready(pod)),
        "succeeded": counted.succeeded,
        "failed": counted.failed,
    }
    status: JsonObject = {name: number for name, number in counts.items() if number or name == "ready"}
    status["uncountedTerminatedPods"] = {}
    if text(job, "spec", "completionMode") == "Indexed":
        status["completedIndexes"] = written(completed_indexes(job, counted.pods))
    return status


def _ended(
    cluster: Cluster, conditions: Iterable[JsonObject], kinds: tuple[str, ...], reason: str, message: str
) -> list[JsonObject]:  # fmt: skip
    kept = list(conditions)
    for kind in kinds:
        probed: JsonObject = {"lastProbeTime": timestamp(cluster.now)}
        kept = with_condition(kept, kind, True, cluster.now, reason, message, probed)
    return kept


def _last_failure(pods: Iterable[JsonObject]) -> datetime | None:
    failed = [pod for pod in pods if text(pod, "status", "phase") == "Failed"]
    moments = [_finished_at(pod) for pod in failed]
    return max((moment for moment in moments if moment), default=None)


def _finished_at(pod: JsonObject) -> datetime | None:
    ended = [moment_at(s, "state", "terminated", "finishedAt") for s in objects(pod, "status", "containerStatuses")]
    known = [moment for moment in ended if moment]
    return max(known) if known else earliest(moment_at(pod, "metadata", "creationTimestamp"))
