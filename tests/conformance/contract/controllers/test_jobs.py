"""Jobs and CronJobs: completions, failures, limits, indexes and schedules."""

from __future__ import annotations

import pytest

from infra.local.kubernetes.documents import JsonObject, integer, name_of, objects, string_map, text, value_at
from tests.conformance.contract.controllers.driver import START, Cluster, condition, labels, phase, pod_spec

_INDEX = "batch.kubernetes.io/job-completion-index"


def _job_spec(command: str = "exit 0", policy: str = "Never", **spec: object) -> JsonObject:
    return {"template": {"spec": pod_spec(command=command, restartPolicy=policy)}, **spec}


def _job(
    cluster: Cluster, command: str = "exit 0", seconds: float = 20, policy: str = "Never", **spec: object
) -> JsonObject:
    cluster.node()
    cluster.create("jobs", "work", _job_spec(command, policy, **spec))
    cluster.after(seconds)
    return cluster.get("jobs", "work")


def _counts(job: JsonObject) -> tuple[int, int, int]:
    return integer(job, "status", "active"), integer(job, "status", "succeeded"), integer(job, "status", "failed")


def test_a_job_runs_its_pod_and_completes(cluster: Cluster) -> None:
    job = _job(cluster)
    assert (_counts(job), condition(job, "Complete")["reason"]) == ((0, 1, 0), "CompletionsReached")
    assert condition(job, "SuccessCriteriaMet")["status"] == "True"
    assert text(job, "status", "completionTime") == "2030-01-01T00:00:02Z"
    assert cluster.reasons("work") == ["SuccessfulCreate", "Completed"]


def test_a_job_selects_its_pods_by_its_uid_and_labels_them(cluster: Cluster) -> None:
    job = _job(cluster, "sleep 60")
    uid = text(job, "metadata", "uid")
    assert value_at(job, "spec", "selector", "matchLabels") == {"batch.kubernetes.io/controller-uid": uid}
    (pod,) = cluster.pods(labelSelector="job-name=work")
    assert labels(pod).items() >= {"batch.kubernetes.io/job-name": "work", "controller-uid": uid}.items()
    assert _counts(job) == (1, 0, 0)


def test_a_job_container_without_a_script_ends_well_after_five_seconds(cluster: Cluster) -> None:
    cluster.node()
    cluster.create("jobs", "work", {"template": {"spec": pod_spec(restartPolicy="Never")}})
    cluster.after(6)
    assert not condition(cluster.get("jobs", "work"), "Complete")
    cluster.after(2)
    assert condition(cluster.get("jobs", "work"), "Complete")["status"] == "True"


def test_no_more_pods_run_at_once_than_parallelism_allows(cluster: Cluster) -> None:
    job = _job(cluster, "sleep 10", 5, completions=5, parallelism=2)
    assert _counts(job) == (2, 0, 0)
    cluster.after(60)
    job = cluster.get("jobs", "work")
    assert (_counts(job), len(cluster.pods())) == ((0, 5, 0), 5)


def test_failed_pods_are_replaced_until_the_backoff_limit(cluster: Cluster) -> None:
    job = _job(cluster, "exit 1", 300, backoffLimit=2)
    assert (_counts(job), condition(job, "Failed")["reason"]) == ((0, 0, 3), "BackoffLimitExceeded")
    assert condition(job, "Failed")["message"] == "Job has reached the specified backoff limit"
    assert condition(job, "FailureTarget")["status"] == "True"
    assert [phase(pod) for pod in cluster.pods()] == ["Failed"] * 3


def test_a_job_waits_longer_after_each_failure(cluster: Cluster) -> None:
    _job(cluster, "exit 1", 5)
    assert len(cluster.pods()) == 1
    cluster.after(10)
    assert len(cluster.pods()) == 2
    cluster.after(12)
    assert len(cluster.pods()) == 2
    cluster.after(15)
    assert len(cluster.pods()) == 3


def test_container_restarts_count_towards_the_backoff_limit(cluster: Cluster) -> None:
    job = _job(cluster, "exit 1", 300, "OnFailure", backoffLimit=2)
    assert condition(job, "Failed")["reason"] == "BackoffLimitExceeded"


def test_a_job_that_is_active_too_long_fails_and_its_pods_end(cluster: Cluster) -> None:
    job = _job(cluster, "sleep 600", 60, activeDeadlineSeconds=30)
    assert condition(job, "Failed")["reason"] == "DeadlineExceeded"
    assert condition(job, "Failed")["message"] == "Job was active longer than specified deadline"
    cluster.after(31)
    assert cluster.pods() == []


def test_a_suspended_job_has_no_pods_until_it_is_resumed(cluster: Cluster) -> None:
    job = _job(cluster, suspend=True)
    assert (cluster.pods(), condition(job, "Suspended")["status"], text(job, "status", "startTime")) == ([], "True", "")
    cluster.patch("jobs", "work", {"spec": {"suspend": False}})
    cluster.after(10)
    job = cluster.get("jobs", "work")
    assert (condition(job, "Suspended")["reason"], condition(job, "Complete")["status"]) == ("JobResumed", "True")


def test_suspending_a_running_job_ends_its_pods(cluster: Cluster) -> None:
    _job(cluster, "sleep 600", 10)
    cluster.patch("jobs", "work", {"spec": {"suspend": True}})
    cluster.after(31)
    assert (cluster.pods(), _counts(cluster.get("jobs", "work"))) == ([], (0, 0, 0))


def test_an_indexed_job_runs_every_index_once(cluster: Cluster) -> None:
    job = _job(cluster, completions=3, parallelism=3, completionMode="Indexed")
    assert text(job, "status", "completedIndexes") == "0-2"
    pods = cluster.pods()
    assert [name_of(pod)[:7] for pod in pods] == ["work-0-", "work-1-", "work-2-"]
    assert [string_map(pod, "metadata", "annotations")[_INDEX] for pod in pods] == ["0", "1", "2"]
    assert [text(pod, "spec", "hostname") for pod in pods] == ["work-0", "work-1", "work-2"]
    (variable,) = objects(objects(pods[0], "spec", "containers")[0], "env")
    assert variable["name"] == "JOB_COMPLETION_INDEX"


def test_a_finished_job_goes_after_its_time_to_live(cluster: Cluster) -> None:
    _job(cluster, seconds=10, ttlSecondsAfterFinished=60)
    assert cluster.exists("jobs", "work")
    cluster.after(60)
    assert (cluster.exists("jobs", "work"), cluster.pods()) == (False, [])


def _cron(cluster: Cluster, command: str = "exit 0", **spec: object) -> None:
    cluster.node()
    schedule = {"schedule": "*/5 * * * *", "jobTemplate": {"spec": _job_spec(command)}, **spec}
    cluster.create("cronjobs", "tick", schedule)


def test_a_cron_job_makes_a_job_at_each_time_of_its_schedule(cluster: Cluster) -> None:
    _cron(cluster)
    cluster.after(620)
    minute = int(START.timestamp()) // 60
    assert [name_of(job) for job in cluster.list_all("jobs")] == [f"tick-{minute + 5}", f"tick-{minute + 10}"]
    cron_job = cluster.get("cronjobs", "tick")
    assert text(cron_job, "status", "lastScheduleTime") == "2030-01-01T00:10:00Z"
    assert text(cron_job, "status", "lastSuccessfulTime") == "2030-01-01T00:10:01Z"


@pytest.mark.parametrize(("policy", "jobs"), [("Allow", 2), ("Forbid", 1), ("Replace", 1)])
def test_the_concurrency_policy_decides_about_overlapping_jobs(cluster: Cluster, policy: str, jobs: int) -> None:
    _cron(cluster, "sleep 3000", concurrencyPolicy=policy)
    cluster.after(620)
    assert len(cluster.list_all("jobs")) == jobs


def test_a_suspended_cron_job_makes_no_jobs_and_old_ones_are_forgotten(cluster: Cluster) -> None:
    _cron(cluster, successfulJobsHistoryLimit=1)
    cluster.after(1000)
    assert len(cluster.list_all("jobs")) == 1
    cluster.patch("cronjobs", "tick", {"spec": {"suspend": True}})
    cluster.after(1000)
    assert text(cluster.get("cronjobs", "tick"), "status", "lastScheduleTime") == "2030-01-01T00:15:00Z"
