"""Whom a trust policy lets assume a role: accounts, roles, conditions on the ARN, and refusals."""

from __future__ import annotations

from typing import Any

import pytest

from infra.local.simulators.service import Principal, ServiceError
from infra.local.simulators.sts_trust import admits

ACCOUNT = "123456789012"
ROOT = f"arn:aws:iam::{ACCOUNT}:root"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/a/path/worker"
CALLER = Principal("ASIA1", f"arn:aws:sts::{ACCOUNT}:assumed-role/worker/session", ACCOUNT, ROLE)


def statement(principal: object, effect: str = "Allow", **more: object) -> dict[str, Any]:
    return {"Effect": effect, "Principal": principal, "Action": "sts:AssumeRole", **more}


def only(arn: str, operator: str = "ArnEquals", key: str = "aws:PrincipalArn") -> dict[str, Any]:
    return statement({"AWS": ROOT}, Condition={operator: {key: arn}})


@pytest.mark.parametrize(
    ("statements", "admitted"),
    [
        pytest.param(statement({"AWS": ROOT}), True, id="the account"),
        pytest.param([statement({"AWS": [ROLE]})], True, id="the role behind the session"),
        pytest.param(statement({"AWS": CALLER.arn}), True, id="the session"),
        pytest.param(statement("*"), True, id="anybody"),
        pytest.param(only(ROLE), True, id="the condition names the role"),
        pytest.param(only(f"arn:aws:iam::{ACCOUNT}:role/a/*", "ArnLike"), True, id="a condition with a wildcard"),
        pytest.param(only(ROLE + "2"), False, id="the condition names another role"),
        pytest.param(statement({"Service": "lambda.amazonaws.com"}), False, id="a service"),
        pytest.param(statement({"AWS": f"arn:aws:iam::{ACCOUNT}:role/worker"}), False, id="without the role's path"),
        pytest.param(statement({"AWS": ROOT}, Action="sts:TagSession"), False, id="another action"),
        pytest.param([statement("*"), statement({"AWS": ROLE}, "Deny")], False, id="a denial"),
        pytest.param([], False, id="nothing"),
    ],
)
def test_a_trust_admits_whom_it_names(statements: object, admitted: bool) -> None:
    assert admits({"Version": "2012-10-17", "Statement": statements}, CALLER) is admitted


@pytest.mark.parametrize(
    "unknown",
    [
        pytest.param(statement({"AWS": ROOT}, NotAction="x"), id="a member"),
        pytest.param(only(ROLE, "ForAnyValue:StringLike"), id="an operator"),
        pytest.param(only("o-1", "StringEquals", "aws:PrincipalOrgID"), id="a key"),
    ],
)
def test_what_iam_knows_and_the_simulator_does_not_is_refused(unknown: dict[str, Any]) -> None:
    with pytest.raises(ServiceError, match="unverified"):
        admits({"Statement": unknown}, CALLER)
