from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta

import pytest
from botocore.credentials import Credentials
from botocore.hooks import HierarchicalEmitter
from botocore.model import ServiceId
from botocore.signers import RequestSigner

from infra.local.simulators.sts_token import InvalidToken, read_token

EMITTER = HierarchicalEmitter()  # a signer refers to it weakly
SECRETS = {"AKIDEXAMPLE": "SECRET"}
URL = "https://sts.us-west-2.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15"


def presigned(
    *,
    url: str = URL,
    cluster: str | None = "demo",
    secret: str = "SECRET",
    session_token: str | None = "TOKEN",
    expires: int = 60,
    key: str = "AKIDEXAMPLE",
) -> str:
    """The URL that aws-iam-authenticator's clients make (`aws eks get-token`)."""
    credentials = Credentials(key, secret, session_token)
    signer = RequestSigner(ServiceId("STS"), "us-west-2", "sts", "v4", credentials, EMITTER)
    headers = {"x-k8s-aws-id": cluster} if cluster else {}
    request = {"method": "GET", "url": url, "body": {}, "headers": headers, "context": {}}
    return str(signer.generate_presigned_url(request, operation_name="", expires_in=expires))


def token(url: str) -> str:
    return "k8s-aws-v1." + base64.urlsafe_b64encode(url.encode()).decode().rstrip("=")


def read(text: str, cluster: str = "demo", later: timedelta = timedelta()) -> str:
    return read_token(text, cluster, SECRETS.get, datetime.now(UTC) + later)


def test_a_token_names_the_access_key_that_signed_it() -> None:
    assert read(token(presigned())) == "AKIDEXAMPLE"
    assert read(token(presigned(session_token=None))) == "AKIDEXAMPLE"


def test_a_token_is_good_for_a_quarter_of_an_hour() -> None:
    text = token(presigned())
    assert read(text, later=timedelta(minutes=14)) == "AKIDEXAMPLE"
    with pytest.raises(InvalidToken, match="expired"):
        read(text, later=timedelta(minutes=15, seconds=2))
    with pytest.raises(InvalidToken, match="future"):
        read(text, later=timedelta(minutes=-10))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("abc", "does not start with"),
        ("k8s-aws-v1.\u00e9", "not base64url"),
        (token(presigned(cluster="other")), "signature does not match for cluster demo"),
        (token(presigned(secret="WRONG")), "signature does not match"),
        (token(presigned(key="AKIDOTHER")), "AKIDOTHER is unknown"),
        (token(presigned(cluster=None)), "x-k8s-aws-id is not among the signed headers"),
        (token(presigned(expires=900)), "X-Amz-Expires is 900"),
        (token(presigned().replace("GetCallerIdentity", "AssumeRole")), "the action is AssumeRole"),
        (token(presigned(url=URL.replace("sts.us-west-2", "sts"))), "not a regional STS endpoint"),
        (token(presigned(url=URL.replace("sts.us-west-2", "sts.us-east-1"))), "credential scope is for us-west-2"),
        (token(presigned(url=URL.replace("https", "http"))), "not a regional STS endpoint"),
        (token(presigned(url=URL + "&Extra=1")), "Extra is not allowed"),
        (token(URL), "is missing"),
    ],
)
def test_a_forged_or_misdirected_token_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(InvalidToken, match=reason):
        read(text)
