"""Faults on demand: which call they strike, and what the struck client sees."""

from __future__ import annotations

import pytest

from infra.local import cluster_faults
from infra.local.faults import HOST_ROLE, Fault, Faults, Kind, answer
from infra.local.messages import HttpRequest, HttpResponse
from infra.local.refusals import refusal

ROLE = "arn:aws:iam::123456789012:role/instantstart/us-west-2/instantstart-function-api-us-west-2"


def struck(faults: Faults, role: str = ROLE, times: int = 5) -> list[bool]:
    return [faults.strike("ec2", "DescribeVpcs", role) is not None for _ in range(times)]


def test_a_fault_strikes_the_calls_it_names_and_no_others() -> None:
    faults = Faults()
    with faults.planned(Fault("ec2", "DescribeVpcs", Kind.THROTTLE, first=2, times=2)):
        assert faults.strike("ec2", "DescribeSubnets", ROLE) is None
        assert struck(faults) == [False, True, True, False, False]
    assert struck(faults) == [False] * 5


def test_a_fault_may_name_its_caller() -> None:
    faults = Faults()
    with faults.planned(Fault("ec2", "DescribeVpcs", Kind.DENY, role="function-api")):
        assert struck(faults, "arn:aws:iam::1:role/other", 1) == [False]
        assert struck(faults, times=2) == [True, False]


def test_calls_of_simulators_among_each_other_are_struck_only_by_name() -> None:
    faults = Faults()
    with faults.planned(Fault("ec2", "DescribeVpcs", Kind.DENY)):
        assert struck(faults, HOST_ROLE, 1) == [False]
    with faults.planned(Fault("ec2", "DescribeVpcs", Kind.DENY, role=HOST_ROLE)):
        assert struck(faults, HOST_ROLE, 1) == [True]


def test_the_end_of_a_plan_leaves_equal_faults_of_another() -> None:
    faults = Faults()
    with faults.planned(Fault("ec2", "DescribeVpcs", Kind.DENY, times=9)):
        with faults.planned(Fault("ec2", "DescribeVpcs", Kind.DENY, times=9)):
            pass
        assert struck(faults, times=1) == [True]


@pytest.mark.parametrize(
    ("service", "content_type", "fragment"),
    [
        ("ec2", "text/xml", "<Response><Errors><Error><Code>X</Code><Message>a &lt; b</Message>"),
        ("s3", "text/xml", "<Error><Code>X</Code>"),
        ("iam", "text/xml", "<ErrorResponse"),
        ("states", "application/x-amz-json-1.1", '"__type": "X"'),
        ("eks", "application/json", '"message": "a < b"'),
        ("nothing-of-the-kind", "application/x-amz-json-1.1", '"message": "a < b"'),
    ],
)
def test_a_refusal_speaks_the_protocol_of_its_service(service: str, content_type: str, fragment: str) -> None:
    response = refusal(service, "X", "a < b", 400)
    assert (response.status, response.headers["content-type"]) == (400, content_type)
    assert fragment in response.body.decode()


def test_a_refuse_answers_with_code_and_message_of_its_own() -> None:
    response = answer(
        Fault("eks", "CreateCluster", Kind.REFUSE, refusal=("UnsupportedAvailabilityZoneException", "no"))
    )
    assert response.headers["x-amzn-errortype"] == "UnsupportedAvailabilityZoneException"


@pytest.mark.parametrize(
    ("path", "operation"),
    [
        ("/api/v1/nodes", "GET nodes"),
        ("/api/v1/nodes/a", "GET nodes"),
        ("/api/v1/namespaces/kube-system/secrets/a", "GET secrets"),
        ("/apis/apps/v1/namespaces/default/daemonsets", "GET daemonsets"),
        ("/api/v1/namespaces/default", "GET namespaces"),
        ("/version", "GET discovery"),
    ],
)
def test_a_call_to_a_cluster_is_named_by_method_and_plural(path: str, operation: str) -> None:
    assert cluster_faults.operation_of(HttpRequest("GET", path)) == operation


@pytest.mark.parametrize(
    ("kind", "status", "handled"),
    [
        (Kind.THROTTLE, 429, 0),
        (Kind.FAIL_BEFORE, 500, 0),
        (Kind.FAIL_AFTER, 500, 1),
        (Kind.DENY, 403, 0),
        (Kind.REFUSE, 401, 0),
        (Kind.KILL_AFTER, 598, 1),
    ],
)
def test_the_door_of_a_cluster_answers_a_fault_in_the_words_of_kubernetes(
    kind: Kind, status: int, handled: int
) -> None:
    faults, seen = Faults(), list[HttpRequest]()

    def handle(request: HttpRequest) -> HttpResponse:
        seen.append(request)
        return HttpResponse(200)

    request = HttpRequest("GET", "/api/v1/nodes")
    with faults.planned(Fault("kubernetes", "GET nodes", kind, refusal=("Unauthorized", "who?"))):
        assert cluster_faults.answer(faults, ROLE, request, handle).status == status
        assert len(seen) == handled
        assert cluster_faults.answer(faults, ROLE, request, handle).status == 200
