"""Jobs: pods that run to completion, retried after failures, ended by limits."""

from __future__ import annotations

from datetime import datetime

from infra.local.kubernetes.controllers.cluster import Cluster, Key
from infra.local.kubernetes.controllers.conditions import condition_of, holds
from infra.local.kubernetes.controllers.indexes import missing_indexes, pod_extras
from infra.local.kubernetes.controllers.jobstatus import JobCount, count, failure_of, is_finished_job, job_status
from infra.local.kubernetes.controllers.manager import Controller, every_in_namespace, itself, owner_of_kind
from infra.local.kubernetes.controllers.pods import Extras, Maker, create_pod, delete_pod, is_active
from infra.local.kubernetes.controllers.times import earliest, later, moment_at
from infra.local.kubernetes.documents import (
    JsonObject,
    integer,
    mapping,
    name_of,
    objects,
    string_map,
    text,
    value_at,
)
from infra.local.kubernetes.metadata import is_deleting
from infra.local.kubernetes.resources import JOBS, PODS, SERVICE_ACCOUNTS

COMPONENT = "job-controller"
_FIRST_BACKOFF, _LONGEST_BACKOFF = 10, 600


def reconcile(cluster: Cluster, key: Key) -> datetime | None:
    """Bring one Job forward: start pods, count what ended, finish it or clean it up."""
    job = cluster.get(JOBS, key[1], key[0])
    if job is None or is_deleting(job):
        return None
    if is_finished_job(job):
        return _expire(cluster, job)
    job = _complete_spec(cluster, job)
    counted = count(job, cluster.owned(PODS, job))
    failure = failure_of(job, counted, cluster.now)
    if failure or counted.enough or value_at(job, "spec", "suspend"):
        _end_pods(cluster, job)
    elif not _backing_off(cluster, job, counted):
        _run_pods(cluster, job, counted)
    counted = count(job, cluster.owned(PODS, job))
    status = job_status(cluster, job, counted, failure)
    job = cluster.set_status(JOBS, cluster.get(JOBS, key[1], key[0]) or job, status)
    if is_finished_job(job):
        _announce(cluster, job)
        return _expire(cluster, job)
    return earliest(_deadline(job), _backing_off(cluster, job, counted))


def _complete_spec(cluster: Cluster, job: JsonObject) -> JsonObject:
    """Give a Job the selector and labels that the API server generates, when it has none."""
    if mapping(job, "spec", "selector"):
        return job
    uid, name = text(job, "metadata", "uid"), name_of(job)
    labels = {
        "batch.kubernetes.io/controller-uid": uid, "batch.kubernetes.io/job-name": name,
        "controller-uid": uid, "job-name": name,
    }  # fmt: skip
    spec: JsonObject = {
        **mapping(job, "spec"),
        "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}},
        "template": _labelled(mapping(job, "spec", "template"), labels),
    }
    return cluster.update(JOBS, {**job, "spec": spec})


def _labelled(template: JsonObject, labels: dict[str, str]) -> JsonObject:
    metadata = mapping(template, "metadata")
    return {**template, "metadata": {**metadata, "labels": {**string_map(metadata, "labels"), **labels}}}


def _run_pods(cluster: Cluster, job: JsonObject, counted: JobCount) -> None:
    """Start what is missing and end what is too much."""
    maker = Maker(job, JOBS, COMPONENT)
    parallelism = integer(job, "spec", "parallelism")
    wanted = min(parallelism, counted.remaining) if counted.remaining is not None else parallelism
    if counted.remaining is None and counted.succeeded:
        wanted = len(counted.active)
    for pod in counted.active[wanted:]:
        delete_pod(cluster, maker, pod)
    for extras in _extras(job, counted, wanted - len(counted.active)):
        if create_pod(cluster, maker, mapping(job, "spec", "template"), extras) is None:
            return


def _extras(job: JsonObject, counted: JobCount, missing: int) -> list[Extras]:
    if missing <= 0:
        return []
    if text(job, "spec", "completionMode") == "Indexed":
        return [pod_extras(job, index) for index in missing_indexes(job, counted.pods)[:missing]]
    return [Extras()] * missing


def _end_pods(cluster: Cluster, job: JsonObject) -> None:
    for pod in cluster.owned(PODS, job):
        if is_active(pod):
            delete_pod(cluster, Maker(job, JOBS, COMPONENT), pod)


def _backing_off(cluster: Cluster, job: JsonObject, counted: JobCount) -> datetime | None:
    """Until when a Job waits after its last failure: ten seconds, doubling."""
    if counted.last_failure is None:
        return None
    seconds = min(_FIRST_BACKOFF * 2 ** min(counted.failed - 1, 8), _LONGEST_BACKOFF)
    until = later(counted.last_failure, seconds)
    return until if until > cluster.now else None


def _deadline(job: JsonObject) -> datetime | None:
    started, seconds = moment_at(job, "status", "startTime"), integer(job, "spec", "activeDeadlineSeconds")
    return later(started, seconds) if started and seconds else None


def _announce(cluster: Cluster, job: JsonObject) -> None:
    if holds(job, "Complete"):
        cluster.event(job, "Completed", "Job completed", COMPONENT)
        return
    failed = condition_of(job, "Failed")
    cluster.event(job, text(failed, "reason"), text(failed, "message"), COMPONENT, "Warning")


def _expire(cluster: Cluster, job: JsonObject) -> datetime | None:
    """Delete a finished Job and its pods after its time to live."""
    seconds = value_at(job, "spec", "ttlSecondsAfterFinished")
    finished = [moment_at(c, "lastTransitionTime") for c in objects(job, "status", "conditions")
                if c.get("type") in ("Complete", "Failed")]  # fmt: skip
    if not isinstance(seconds, int) or not finished or finished[0] is None:
        return None
    moment = later(finished[0], seconds)
    if moment > cluster.now:
        return moment
    for pod in cluster.owned(PODS, job):
        cluster.delete(PODS, pod)
    cluster.delete(JOBS, job)
    return None


CONTROLLER = Controller(
    COMPONENT,
    {
        JOBS.key: itself,
        PODS.key: owner_of_kind("Job"),
        SERVICE_ACCOUNTS.key: every_in_namespace(JOBS),
    },
    reconcile,
)
