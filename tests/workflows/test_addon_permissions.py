"""An operator that does not start for want of a right: the right is named, and nothing else of its log."""

from __future__ import annotations

import json

import pytest

from functions.clusters import rules
from infra.local.kubernetes.api import KubernetesApi
from infra.local.kubernetes.controllers.behaviours import Behaviour, Rule, Scene, always
from infra.local.kubernetes.documents import mapping, name_of
from infra.local.kubernetes.resources import EVENTS, PODS
from tests.host.driver import Driver, Json, stage_of

OPERATOR = "amazon-sagemaker-hyperpod-training-operator"
PATH = "/api/clusters/ready/dependencies"
IMAGE, NAMESPACE = "hp-training-operator", "aws-hyperpod"
SECRET = "wJalrXUtnFEMIK7MDENG"  # what must not get out
ROLE = "arn:aws:iam::123456789012:role/instantstart/us-west-2/clusters/instantstart-ready-us-west-2-training"
DENIED = (
    f"{SECRET} AccessDeniedException: User: arn:aws:sts::123456789012:assumed-role/training/{SECRET} is not authorized "
    f"to perform: sagemaker:DescribeClusterNode on resource: * password={SECRET}"
)
LACKS = ("IAM_MISSING_ACTION", "its role lacks sagemaker:DescribeClusterNode.")
NO_ROLE = ("IAM_ROLE_NOT_ASSUMABLE", "it cannot assume its role.")
NAMED_ROLE = ("IAM_ROLE_NOT_ASSUMABLE", f"it cannot assume its role {ROLE}.")


@pytest.fixture
def driver(driver_of_ready: Driver, monkeypatch: pytest.MonkeyPatch) -> Driver:
    """A cluster with nodes, whose dependencies are the training operator and what it needs from now on."""
    names = ("cert-manager", OPERATOR)
    monkeypatch.setattr(rules, "plan", lambda *_: [("dependencies", f"addon:{name}") for name in names])
    return driver_of_ready


def cluster_of(driver: Driver) -> KubernetesApi:
    return driver.host.world.kubernetes["eks-cluster-ready"]


def script(driver: Driver, behaviour: Behaviour) -> None:
    """Say what the operator's container does from now on."""
    cluster_of(driver).behaviours.add(Rule(always(behaviour), image=IMAGE))


def never_ready(*lines: str) -> Behaviour:
    return Behaviour(ready_after=10**6, logs=tuple((second, line) for second, line in enumerate(lines)))


def judged(operation: Json) -> tuple[str, str]:
    """The cause of a failure and the last words of its detail."""
    assert operation["status"] == "FAILED", operation
    assert SECRET not in json.dumps(operation)
    error = operation["error"]
    assert error["cause"]["resource"].startswith(f"{NAMESPACE}/pod/hp-training-operator-controller-manager-")
    assert PATH in error["remedy"]
    return error["cause"]["code"], error["detail"].partition("is not ready: ")[2]


@pytest.mark.case(42)
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (DENIED, LACKS),
        (f"AccessDenied {SECRET} ... sagemaker:DescribeClusterNode", LACKS),
        (f"{SECRET}: AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity {SECRET}", NO_ROLE),
        (f"User: {SECRET} is not authorized to perform: sts:AssumeRole on resource: {ROLE} {SECRET}", NAMED_ROLE),
        (f"{SECRET} Unauthorized Exception! EKS does not have permissions to assume the associated role.", NO_ROLE),
    ],
)
def test_an_operator_that_fails_its_startup_probe_names_what_its_role_lacks(
    driver: Driver, line: str, expected: tuple[str, str]
) -> None:
    script(driver, never_ready(f"AWS_SECRET_ACCESS_KEY={SECRET}", line, "context deadline exceeded"))
    operation = driver.run(PATH)
    assert judged(operation) == expected
    assert stage_of(operation, f"addon:{OPERATOR}")["status"] == "FAILED"
    reported = [event["message"] for event in cluster_of(driver).store.select(EVENTS, NAMESPACE)]
    assert any("Startup probe failed" in str(message) for message in reported)


@pytest.mark.case(42)
def test_an_operator_that_was_restarted_is_read_from_the_run_before_too(driver: Driver) -> None:
    def first_run_speaks(scene: Scene, _: Behaviour) -> Behaviour:
        return never_ready() if scene.restarts else Behaviour(run_seconds=1, exit_code=1, logs=((0, DENIED),))

    cluster_of(driver).behaviours.add(Rule(first_run_speaks, image=IMAGE))
    begun = driver.post(PATH)
    driver.until_said(begun["operation_id"], f"addon:{OPERATOR}", "IAM_MISSING_ACTION", every=10)


@pytest.mark.case(42)
def test_events_of_an_operators_pod_are_read_too(driver: Driver) -> None:
    script(driver, never_ready())
    begun = driver.post(PATH)
    driver.until_said(begun["operation_id"], f"addon:{OPERATOR}", "has a node and is not ready", every=10)
    store = cluster_of(driver).store
    [pod] = [pod for pod in store.select(PODS, NAMESPACE) if name_of(pod).startswith("hp-training-operator")]
    about = {"kind": "Pod", "namespace": NAMESPACE, "name": name_of(pod), "uid": mapping(pod, "metadata")["uid"]}
    event = {"metadata": {"name": "denied", "namespace": NAMESPACE}, "involvedObject": about, "message": DENIED}
    store.upsert(EVENTS, {**event, "type": "Warning", "reason": "Failed"})
    assert judged(driver.finish(begun["operation_id"])) == LACKS


@pytest.mark.case(42)
def test_a_role_that_comes_right_in_time_does_not_fail_the_addon(driver: Driver) -> None:
    script(driver, never_ready(DENIED))
    begun = driver.post(PATH)
    waiting = driver.until_said(begun["operation_id"], f"addon:{OPERATOR}", "IAM_MISSING_ACTION", every=10)
    assert SECRET not in json.dumps(waiting)
    script(driver, Behaviour())
    assert driver.finish(begun["operation_id"])["status"] == "SUCCEEDED"


@pytest.mark.case(42)
def test_an_addon_whose_role_was_repaired_stands_after_the_dependencies_are_configured_again(driver: Driver) -> None:
    script(driver, never_ready(DENIED))
    assert judged(driver.run(PATH)) == LACKS
    script(driver, Behaviour())
    operation = driver.run(PATH)
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert stage_of(operation, f"addon:{OPERATOR}")["result"]["status"] == "ACTIVE"


def test_an_operator_that_does_not_start_for_another_reason_is_not_done(driver: Driver) -> None:
    script(driver, never_ready("cannot reach the leader"))
    error = driver.run(PATH)["error"]
    assert error["cause"]["code"] == "POD_NOT_READY"
    assert "kubectl logs" in error["remedy"]
