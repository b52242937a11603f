"""The helm stage through the public API: workers that die in helm, releases of others, charts that were changed."""

from __future__ import annotations

import os
import subprocess
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from infra.local.charts_standin import packed
from infra.local.faults import Fault, Kind
from infra.local.helm_binary import helm_program
from infra.local.kubernetes.documents import JsonObject, mapping, value_at
from infra.local.kubernetes.resources import DAEMON_SETS, SECRETS
from infra.local.kubernetes.store import Store
from tests.host.driver import Driver, hyperpod_request, stage_of, statuses

PATH = "/api/clusters/base/dependencies"
STAGE = "helm_release:dependencies"
ARTIFACTS = "instantstart-artifacts-123456789012-us-west-2"


def store(driver: Driver) -> Store:
    return driver.host.world.kubernetes["eks-cluster-base"].store


def revisions(driver: Driver) -> list[tuple[int, str]]:
    """The revisions of the release and their statuses, as helm's secrets tell them."""
    found = store(driver).select(SECRETS, "kube-system", "owner=helm,name=dependencies")
    labels = [mapping(value_at(secret, "metadata", "labels")) for secret in found]
    return sorted((int(str(each["version"])), str(each["status"])) for each in labels)


def want_something_else(driver: Driver) -> None:
    """Let the standing release be of another content than the one that is wanted."""

    def change(secret: JsonObject) -> None:
        mapping(value_at(secret, "metadata", "labels"))["instantstart-content"] = "older"

    store(driver).modify(SECRETS, "sh.helm.release.v1.dependencies.v1", change, "kube-system")


def install_by_hand(driver: Driver, directory: Path) -> None:
    """Install the chart as a person at the machine does, with values of their own."""
    chart = directory / "chart.tgz"
    chart.write_bytes(packed()[0].content)
    values = ("--set", "deep-health-check.enabled=false")
    where = ("--kube-context", "base", "--namespace", "kube-system")
    kubeconfig = str(driver.host.access.kubeconfig.path)
    environment = {"HOME": str(directory), "PATH": os.environ["PATH"], "KUBECONFIG": kubeconfig}
    command = [str(helm_program()), "install", "dependencies", str(chart), *values, *where]
    subprocess.run(command, env=environment, check=True, capture_output=True, timeout=30)


def test_workers_that_die_in_and_after_an_installation_leave_one_release(driver_of_base: Driver) -> None:
    driver = driver_of_base
    kills = Fault("helm", "upgrade", Kind.KILL_BEFORE), Fault("helm", "upgrade", Kind.KILL_AFTER, first=2)
    with driver.host.faults.planned(*kills):
        begun = driver.post(PATH)
        driver.until_said(begun["operation_id"], STAGE, "a worker is at dependencies")
        assert revisions(driver) == [(1, "pending-install")]
        operation = driver.finish(begun["operation_id"])
    assert (operation["status"], revisions(driver)) == ("SUCCEEDED", [(1, "deployed")])
    assert [kill.seen for kill in kills] == [2, 2]
    assert stage_of(operation, STAGE)["resources"] == ["helm/kube-system/dependencies"]


def test_a_worker_that_dies_in_an_upgrade_is_rolled_back_and_the_upgrade_made(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    want_something_else(driver)
    with driver.host.faults.planned(Fault("helm", "upgrade", Kind.KILL_BEFORE)):
        begun = driver.post(PATH)
        driver.until_said(begun["operation_id"], STAGE, "a worker is at dependencies")
    assert revisions(driver) == [(1, "deployed"), (2, "pending-upgrade")]
    operation = driver.finish(begun["operation_id"])
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert [status for _, status in revisions(driver)].count("deployed") == 1
    assert revisions(driver)[-1] == (4, "deployed")


def test_helm_that_hangs_and_an_api_server_that_fails_under_it_are_outlasted(driver_of_base: Driver) -> None:
    driver = driver_of_base
    operation = driver.failing(
        PATH,
        None,
        Fault("helm", "upgrade", Kind.HANG),
        *(
            Fault("kubernetes", call, kind, role="kubernetes-admin")
            for call, kind in (("GET daemonsets", Kind.FAIL_BEFORE), ("POST secrets", Kind.THROTTLE))
        ),
    )
    assert (operation["status"], revisions(driver)) == ("SUCCEEDED", [(1, "deployed")]), operation["error"]


def test_a_chart_that_is_not_what_the_lock_says_is_refused_and_nothing_installed(driver_of_base: Driver) -> None:
    driver = driver_of_base
    client, [chart] = driver.host.client("s3"), packed()
    listed = client.list_objects_v2(Bucket=ARTIFACTS)["Contents"]
    [key] = [found["Key"] for found in listed if found["Key"].endswith(chart.key)]
    client.put_object(Bucket=ARTIFACTS, Key=key, Body=chart.content + b"\n")
    operation = driver.run(PATH)
    error = operation["error"]
    assert (operation["status"], error["code"], error["cause"]["code"]) == (
        "FAILED",
        "deployment_fault",
        "DIGEST_MISMATCH",
    )
    assert error["cause"]["resource"] == key
    assert revisions(driver) == []
    assert store(driver).select(DAEMON_SETS, "aws-hyperpod") == []


def test_a_release_of_somebody_else_is_refused_and_left_as_it_is(driver_of_base: Driver, tmp_path: Path) -> None:
    driver = driver_of_base
    install_by_hand(driver, tmp_path)
    theirs = store(driver).select(SECRETS, "kube-system", "owner=helm")
    operation = driver.run(PATH)
    error = operation["error"]
    assert (operation["status"], error["status"], error["code"]) == ("FAILED", 409, "conflict")
    assert "helm uninstall dependencies -n kube-system" in error["remedy"]
    assert store(driver).select(SECRETS, "kube-system", "owner=helm") == theirs


def test_sagemaker_makes_no_cluster_where_the_release_is_missing(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    store(driver).delete(SECRETS, "sh.helm.release.v1.dependencies.v1", "kube-system")
    operation = driver.run("/api/clusters/base/hyperpod", hyperpod_request())
    assert operation["status"] == "FAILED"
    assert operation["error"]["cause"]["api_call"] == "CreateCluster"
    assert "missing one or more required dependencies" in operation["error"]["detail"]
    assert "hyperpod" not in driver.made("base")


@pytest.mark.case(12)
def test_an_installer_that_cannot_start_fails_its_stage_within_a_minute_and_is_retried_alone(
    driver_of_base: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = driver_of_base

    def broken(*_: object) -> None:
        raise ImportError("libssl.so.3: cannot open shared object file")

    with monkeypatch.context() as patched:
        patched.setattr(driver.host.functions.environment("helm"), "handler", broken)
        failed = driver.run(PATH)
    [name] = [name for name, status in statuses(failed).items() if status == "FAILED"]
    stage, cause = stage_of(failed, name), failed["error"]["cause"]
    assert failed["status"] == "FAILED"
    lasted = datetime.fromisoformat(stage["finished_at"]) - datetime.fromisoformat(stage["started_at"])
    assert lasted < timedelta(seconds=60)
    assert (cause["layer"], cause["service"], cause["code"]) == ("control_plane", "lambda", "ImportError")
    assert cause["request_id"]
    retried = driver.retry(failed["operation_id"])
    assert retried["status"] == "SUCCEEDED"
    stood = {name for name, status in statuses(failed).items() if status == "SUCCEEDED"}
    assert {name for name, status in statuses(retried).items() if status == "SKIPPED"} == stood


def test_helm_that_hangs_or_dies_at_a_call_of_its_own_is_outlasted_and_one_release_is_left(
    driver_of_base: Driver,
) -> None:
    driver = driver_of_base
    faults = (
        Fault("kubernetes", "PATCH daemonsets", Kind.KILL_AFTER, role="kubernetes-admin"),
        Fault("kubernetes", "POST secrets", Kind.HANG, first=2, role="kubernetes-admin"),
        Fault("helm", "upgrade", Kind.FAIL_AFTER, first=3),
    )
    operation = driver.failing(PATH, None, *faults)
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert [status for _, status in revisions(driver)].count("deployed") == 1
    assert {status for _, status in revisions(driver)} <= {"deployed", "superseded"}
    assert [fault.seen >= fault.first for fault in faults] == [True, True, True]


def test_a_helm_that_may_not_do_its_work_fails_the_stage_with_its_command_and_a_remedy(driver_of_base: Driver) -> None:
    denied = Fault("kubernetes", "PATCH daemonsets", Kind.DENY, role="kubernetes-admin")
    operation = driver_of_base.failing(PATH, None, denied)
    error = operation["error"]
    assert (operation["status"], error["cause"]["service"], error["cause"]["api_call"]) == (
        "FAILED",
        "helm",
        "helm upgrade",
    )
    assert error["remedy"]
