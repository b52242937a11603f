"""CronJobs: a Job at each time of the schedule, as concurrency allows."""

from __future__ import annotations

from datetime import datetime

from infra.local.kubernetes.controllers import cron
from infra.local.kubernetes.controllers.cluster import Cluster, Key
from infra.local.kubernetes.controllers.conditions import holds
from infra.local.kubernetes.controllers.jobstatus import is_finished_job
from infra.local.kubernetes.controllers.manager import Controller, itself, owner_of_kind
from infra.local.kubernetes.controllers.pods import controller_reference
from infra.local.kubernetes.controllers.times import later, moment_at
from infra.local.kubernetes.documents import JsonObject, mapping, name_of, namespace_of, text, value_at
from infra.local.kubernetes.metadata import timestamp
from infra.local.kubernetes.resources import CRON_JOBS, JOBS, PODS

COMPONENT = "cronjob-controller"
_REMEMBERED = ("lastScheduleTime", "lastSuccessfulTime")


def reconcile(cluster: Cluster, key: Key) -> datetime | None:
    """Start the Job of one CronJob when it is time, and forget old ones."""
    cron_job = cluster.get(CRON_JOBS, key[1], key[0])
    if cron_job is None:
        return None
    _forget_old(cluster, cron_job)
    try:
        schedule = cron.parse(text(cron_job, "spec", "schedule"), text(cron_job, "spec", "timeZone"))
    except ValueError as problem:
        cluster.event(cron_job, "UnparseableSchedule", f"unparseable schedule: {problem}", COMPONENT, "Warning")
        return None
    due = _latest_due(cluster, cron_job, schedule)
    suspended = bool(value_at(cron_job, "spec", "suspend"))
    if due is not None and not suspended:
        _run(cluster, cron_job, due)
    _note(cluster, cluster.get(CRON_JOBS, key[1], key[0]) or cron_job, due if not suspended else None)
    return None if suspended else schedule.after(cluster.now)


def _latest_due(cluster: Cluster, cron_job: JsonObject, schedule: cron.Schedule) -> datetime | None:
    """The last time that came since the last run; the ones before it were missed."""
    created = moment_at(cron_job, "metadata", "creationTimestamp")
    since = moment_at(cron_job, "status", "lastScheduleTime") or created or cluster.now
    found, moment = None, schedule.after(since)
    for _ in range(100):
        if moment is None or moment > cluster.now:
            return found
        found, moment = moment, schedule.after(moment)
    return found


def _run(cluster: Cluster, cron_job: JsonObject, due: datetime) -> None:
    patience = value_at(cron_job, "spec", "startingDeadlineSeconds")
    if isinstance(patience, int) and later(due, patience) < cluster.now:
        message = f"Missed scheduled time to start a job: {timestamp(due)}"
        cluster.event(cron_job, "MissSchedule", message, COMPONENT, "Warning")
        return
    active = _active(cluster, cron_job)
    policy = text(cron_job, "spec", "concurrencyPolicy")
    if active and policy == "Forbid":
        message = "Not starting job because prior execution is running and concurrency policy is Forbid"
        cluster.event(cron_job, "JobAlreadyActive", message, COMPONENT)
        return
    for job in active if policy == "Replace" else []:
        _delete(cluster, job)
        cluster.event(cron_job, "SuccessfulDelete", f"Deleted job {name_of(job)}", COMPONENT)
    name = f"{name_of(cron_job)}-{int(due.timestamp()) // 60}"
    if cluster.get(JOBS, name, namespace_of(cron_job)) is None:
        cluster.create(JOBS, _job(cron_job, name, due))
        cluster.event(cron_job, "SuccessfulCreate", f"Created job {name}", COMPONENT)


def _job(cron_job: JsonObject, name: str, due: datetime) -> JsonObject:
    template = mapping(cron_job, "spec", "jobTemplate")
    metadata: JsonObject = {
        "name": name,
        "namespace": namespace_of(cron_job),
        "labels": mapping(template, "metadata", "labels"),
        "annotations": {
            **mapping(template, "metadata", "annotations"),
            "batch.kubernetes.io/cronjob-scheduled-timestamp": timestamp(due),
        },
        "ownerReferences": [controller_reference(cron_job, CRON_JOBS)],
    }
    return {"metadata": metadata, "spec": mapping(template, "spec")}


def _active(cluster: Cluster, cron_job: JsonObject) -> list[JsonObject]:
    return [job for job in cluster.owned(JOBS, cron_job) if not is_finished_job(job)]


def _note(cluster: Cluster, cron_job: JsonObject, due: datetime | None) -> None:
    status: JsonObject = {
        key: value for key, value in mapping(cron_job, "status").items() if key in _REMEMBERED
    }  # fmt: skip
    if active := _active(cluster, cron_job):
        status["active"] = [
            {"apiVersion": JOBS.api_version, "kind": JOBS.kind, "name": name_of(job), "namespace": namespace_of(job),
             "uid": text(job, "metadata", "uid")}
            for job in active
        ]  # fmt: skip
    if due is not None:
        status["lastScheduleTime"] = timestamp(due)
    times = [text(job, "status", "completionTime") for job in cluster.owned(JOBS, cron_job) if holds(job, "Complete")]
    if latest := max(times, default=""):
        status["lastSuccessfulTime"] = latest
    cluster.set_status(CRON_JOBS, cron_job, status)


def _forget_old(cluster: Cluster, cron_job: JsonObject) -> None:
    finished = [job for job in cluster.owned(JOBS, cron_job) if is_finished_job(job)]
    for kind, limit, usual in (("Complete", "successfulJobsHistoryLimit", 3), ("Failed", "failedJobsHistoryLimit", 1)):
        written = value_at(cron_job, "spec", limit)
        kept = written if isinstance(written, int) else usual
        done = sorted((job for job in finished if holds(job, kind)), key=lambda job: text(job, "status", "startTime"))
        for job in done[: len(done) - kept] if len(done) > kept else []:
            _delete(cluster, job)


def _delete(cluster: Cluster, job: JsonObject) -> None:
    for pod in cluster.owned(PODS, job):
        cluster.delete(PODS, pod)
    cluster.delete(JOBS, job)


CONTROLLER = Controller(COMPONENT, {CRON_JOBS.key: itself, JOBS.key: owner_of_kind("CronJob")}, reconcile)
