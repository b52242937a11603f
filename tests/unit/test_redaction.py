"""What a log may hold and nobody else may see."""

from __future__ import annotations

import pytest

from functions.core.redaction import HIDDEN, redacted

VALUE = "s3cr3tValue"


@pytest.mark.parametrize(
    "text",
    [
        f"HF_TOKEN={VALUE}",
        f"export HUGGING_FACE_HUB_TOKEN='{VALUE}'",
        f'{{"password": "{VALUE}", "user": "me"}}',
        f"mysql --password {VALUE} -u me",
        f"curl -H 'Authorization: Bearer {VALUE}' host",
        f"git clone https://me:{VALUE}@host/repository",
        f"GET /object?X-Amz-Signature={VALUE}&x=1",
        f"aws_secret_access_key = {VALUE}",
    ],
)
def test_what_is_named_as_a_secret_is_hidden(text: str) -> None:
    assert VALUE not in redacted(text)
    assert HIDDEN in redacted(text)


@pytest.mark.parametrize(
    "secret",
    [
        "hf_" + "aB3" * 11,
        "ghp_" + "aB3" * 12,
        "AKIA" + "ABCD1234" * 2,
        "wJalrXUt/" + "aB3+" * 7 + "aB3",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJtZSJ9.c2lnbmF0dXJl",
    ],
    ids=["Hugging Face", "GitHub", "access key", "secret access key", "JWT"],
)
def test_what_looks_like_a_secret_is_hidden_wherever_it_stands(secret: str) -> None:
    assert redacted(f"logged in with {secret}, done") == f"logged in with {HIDDEN}, done"


@pytest.mark.parametrize(
    "text",
    [
        "fatal error: An error occurred (AccessDenied) when calling the GetObject operation: Access Denied",
        "User: arn:aws:sts::123456789012:assumed-role/nodes/i-0abc is not authorized to perform: s3:GetObject",
        "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 1234 (apt)",
        "token expired, asking for another",
        "log group '/aws/sagemaker/Clusters/demo/abc' and log stream 'LifecycleConfig/gpu/i-0abc'",
    ],
)
def test_what_explains_a_failure_stays_as_it_is(text: str) -> None:
    assert redacted(text) == text
