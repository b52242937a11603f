"""What is read out of the logs of an add-on's pods, and what is left there."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from functions.features.permissions.rules import NOT_ASSUMABLE, Fault, fault_in, runs_of, since, unready
from functions.features.rules import MISSING_ACTION

if TYPE_CHECKING:
    from pydantic import JsonValue

START = datetime(2026, 1, 1, tzinfo=UTC)
ROLE = "arn:aws:iam::123456789012:role/instantstart/training"
LACKS = Fault(MISSING_ACTION, ("sagemaker:DescribeClusterNode",))


@pytest.mark.case(42)
@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("AccessDenied ... sagemaker:DescribeClusterNode", LACKS),
        ("User: a is not authorized to perform: sagemaker:DescribeClusterNode on resource: b", LACKS),
        ("UnauthorizedOperation: ec2:DescribeVpcs", Fault(MISSING_ACTION, ("ec2:DescribeVpcs",))),
        ("AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity", Fault(NOT_ASSUMABLE)),
        (f"AccessDenied: a is not authorized to perform: sts:TagSession on {ROLE}.", Fault(NOT_ASSUMABLE, (ROLE,))),
        ("operation error STS: AssumeRoleWithWebIdentity, api error AccessDenied: no", Fault(NOT_ASSUMABLE)),
        ("InvalidIdentityToken: No OpenIDConnect provider found in your account", Fault(NOT_ASSUMABLE)),
        ("AccessDeniedException: EKS does not have permissions to assume the associated role", Fault(NOT_ASSUMABLE)),
        ("NoCredentialProviders: no valid providers in chain", Fault(NOT_ASSUMABLE)),
    ],
)
def test_what_a_role_lacks_is_recognised_in_the_words_of_aws(line: str, fault: Fault) -> None:
    assert fault_in(["starting", line, "context deadline exceeded"]) == fault


@pytest.mark.case(42)
@pytest.mark.parametrize(
    "line",
    [
        "Startup probe failed: context deadline exceeded",
        "AccessDenied for the user admin:Passw0rd",
        "AccessDenied for the user admin:GetMeIn77",
        "GET https://user:Secret@host: AccessDenied",
        "password=hunter2 calling sagemaker:DescribeClusterNode",
    ],
)
def test_what_is_no_word_of_aws_about_a_role_is_left_in_the_log(line: str) -> None:
    assert fault_in([line]) is None


@pytest.mark.case(42)
def test_a_role_that_cannot_be_assumed_comes_before_what_it_may_not_do_and_every_action_is_named_once() -> None:
    denied = ["AccessDenied s3:GetObject", "AccessDenied s3:PutObject", "AccessDenied s3:GetObject"]
    assert fault_in(denied) == Fault(MISSING_ACTION, ("s3:GetObject", "s3:PutObject"))
    assert fault_in([*denied, "WebIdentityErr: failed"]) == Fault(NOT_ASSUMABLE)
    assert fault_in([]) is None


def pod(node: str = "n", ready: str = "False", **metadata: JsonValue) -> dict[str, JsonValue]:
    status: JsonValue = {"conditions": [{"type": "Ready", "status": ready}], "startTime": "2026-01-01T00:00:00Z"}
    return {"metadata": {"name": "p", **metadata}, "spec": {"nodeName": node} if node else {}, "status": status}


def test_only_a_pod_that_has_a_node_and_stays_can_be_late() -> None:
    assert unready(pod(), START)
    assert not unready(pod(ready="True"), START)
    assert not unready(pod(node=""), START)
    assert not unready(pod(deletionTimestamp="2026-01-01T00:00:00Z"), START)
    assert since(pod()) == START


@pytest.mark.parametrize(("restarts", "seconds", "late"), [(1, 59, True), (1, 60, False), (0, 1, False)])
def test_a_pod_in_a_crash_loop_is_late_even_when_it_is_ready_for_a_moment(
    restarts: int, seconds: int, late: bool
) -> None:
    looping = pod(ready="True")
    running: JsonValue = {"running": {"startedAt": "2026-01-01T00:00:00Z"}}
    status: dict[str, JsonValue] = {"restartCount": restarts, "state": running}
    looping["status"] = {"conditions": [{"type": "Ready", "status": "True"}], "containerStatuses": [status]}
    assert unready(looping, START + timedelta(seconds=seconds)) is late


def test_a_container_that_was_restarted_has_two_logs() -> None:
    restarted: dict[str, JsonValue] = {
        "status": {"containerStatuses": [{"name": "a", "restartCount": 2}, {"name": "b", "restartCount": 0}]}
    }
    assert runs_of(restarted) == [("a", False), ("b", False), ("a", True)]
