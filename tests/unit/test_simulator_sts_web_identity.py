"""What STS makes of web identity tokens: providers, signatures, ages and trusts."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

import pytest
from moto import mock_aws

from infra.local.simulators.service import ServiceError
from infra.local.simulators.sts_web_identity import WebIdentities, WebIdentity, trusted
from tests.unit.test_simulator_service_helpers import ACCOUNT, Clock, moto_client

if TYPE_CHECKING:
    from botocore.client import BaseClient

ISSUER = "https://oidc.eks.us-east-1.amazonaws.com/id/ABC"
NAME = ISSUER.removeprefix("https://")
PROVIDER = f"arn:aws:iam::{ACCOUNT}:oidc-provider/{NAME}"
SUBJECT = "system:serviceaccount:train:ckpt"
CONTEXT = {f"{NAME}:sub": SUBJECT, f"{NAME}:aud": "sts.amazonaws.com"}


def trust(**changes: object) -> dict[str, Any]:
    statement = {
        "Effect": "Allow",
        "Principal": {"Federated": PROVIDER},
        "Action": "sts:AssumeRoleWithWebIdentity",
        "Condition": {"StringEquals": CONTEXT},
        **changes,
    }
    return {"Version": "2012-10-17", "Statement": [statement]}


def subject(operator: str, value: object) -> dict[str, Any]:
    return trust(Condition={operator: {f"{NAME}:sub": value}})


def token(claims: Mapping[str, object]) -> str:
    return f"e30.{base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip('=')}.signed"


class Bank:
    """An account with a provider and a role, in a world whose issuer signs whatever ends in `signed`."""

    def __init__(self) -> None:
        self.clock, iam = Clock(), moto_client("iam")
        iam.create_open_id_connect_provider(Url=ISSUER, ClientIDList=["sts.amazonaws.com"], ThumbprintList=[])
        created = iam.create_role(RoleName="pods", AssumeRolePolicyDocument=json.dumps(trust()))
        self.role = str(created["Role"]["Arn"])
        self.web = WebIdentities(self.clock, ACCOUNT, lambda: cast("BaseClient", iam), self._claims)
        self.claims: dict[str, object] = {
            "iss": ISSUER,
            "sub": SUBJECT,
            "aud": ["sts.amazonaws.com"],
            "exp": int(self.clock().timestamp()) + 600,
        }

    def _claims(self, _: str, text: str) -> Mapping[str, object] | None:
        return self.claims if text.endswith(".signed") else None

    def refusal(self, text: str | None = None, role: str | None = None, **changes: object) -> str:
        self.claims |= changes
        with pytest.raises(ServiceError) as caught:
            self.web.admit(role or self.role, token(self.claims) if text is None else text)
        return caught.value.code


@pytest.fixture
def bank() -> Iterator[Bank]:
    with mock_aws():
        yield Bank()


def test_a_token_that_the_role_trusts_names_its_bearer(bank: Bank) -> None:
    assert bank.web.admit(bank.role, token(bank.claims)) == WebIdentity(SUBJECT, "sts.amazonaws.com", PROVIDER)


def test_each_wrong_token_is_refused_with_the_code_of_its_fault(bank: Bank) -> None:
    assert bank.refusal("abc") == "InvalidIdentityToken"
    assert bank.refusal(token(bank.claims).replace("signed", "forged")) == "InvalidIdentityToken"
    assert bank.refusal(role=bank.role.replace(ACCOUNT, "111122223333")) == "InvalidIdentityToken"
    assert bank.refusal(role=bank.role + "x") == "AccessDenied"
    assert bank.refusal(sub=SUBJECT + "x") == "AccessDenied"
    assert bank.refusal(aud=["pods.eks.amazonaws.com"]) == "InvalidIdentityToken"
    assert bank.refusal(iss=ISSUER + "D", aud=["sts.amazonaws.com"]) == "InvalidIdentityToken"


def test_a_token_ends_with_its_time(bank: Bank) -> None:
    bank.clock.advance(599)
    bank.web.admit(bank.role, token(bank.claims))
    bank.clock.advance(1)
    assert bank.refusal() == "ExpiredTokenException"


@pytest.mark.case(40)
@pytest.mark.parametrize(
    ("document", "admitted"),
    [
        (trust(), True),
        (trust(Action=["sts:TagSession", "sts:*"]), True),
        (trust(Action="sts:AssumeRole"), False),
        (trust(Principal={"Federated": PROVIDER + "x"}), False),
        (trust(Principal={"Service": "ec2.amazonaws.com"}), False),
        (trust(Effect="Deny"), False),
        ({"Statement": trust()["Statement"] + trust(Effect="Deny", Principal="*")["Statement"]}, False),
        (subject("StringEquals", ["other", SUBJECT]), True),
        (subject("StringEquals", "system:serviceaccount:train:*"), False),
        (subject("StringLike", "system:serviceaccount:train:*"), True),
        (subject("StringLike", "system:serviceaccount:train:ck?t"), True),
        (subject("StringLike", "system:serviceaccount:serve:*"), False),
        (trust(Condition={"StringEquals": {"oidc.example/id/X:sub": SUBJECT}}), False),
    ],
)
def test_a_trust_admits_only_what_its_conditions_equal_or_resemble(document: dict[str, Any], admitted: bool) -> None:
    assert trusted(document, PROVIDER, CONTEXT) == admitted


@pytest.mark.parametrize("document", [trust(NotAction="sts:AssumeRole"), subject("StringNotLike", "x")])
def test_a_trust_that_is_not_simulated_is_refused_as_unverified(document: dict[str, Any]) -> None:
    with pytest.raises(ServiceError, match="unverified"):
        trusted(document, PROVIDER, CONTEXT)
