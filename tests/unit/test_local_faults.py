"""Faults on demand: which call they strike, and what the struck client sees."""

from __future__ import annotations

import pytest

from infra.local.faults import HOST_ROLE, Fault, Faults, Kind, answer
from infra.local.refusals import refusal

ROLE = "arn:aws:iam::123456789012:role/instantstart/instantstart-function-api"


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
