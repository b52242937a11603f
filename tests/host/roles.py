"""Agents that have a role of the account instead of a token, and the signatures that they come with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from infra.local.messages import HttpRequest

if TYPE_CHECKING:
    from types_boto3_sts.type_defs import CredentialsTypeDef

    from infra.local.host import LocalHost


def session_of(host: LocalHost, role_arn: str, session: str = "night-shift") -> Credentials:
    """Make a role of the account where there is none, and assume it at the host's STS, as its owner would."""
    path, _, name = role_arn.partition(":role")[2].rpartition("/")
    iam = host.client("iam")
    if name not in {role["RoleName"] for role in iam.list_roles()["Roles"]}:
        trusted = {
            "Effect": "Allow",
            "Principal": {"AWS": "arn:aws:iam::123456789012:root"},
            "Action": "sts:AssumeRole",
        }
        trust = {"Version": "2012-10-17", "Statement": [trusted]}
        iam.create_role(RoleName=name, Path=f"{path}/", AssumeRolePolicyDocument=json.dumps(trust))
    return _keys(host.client("sts").assume_role(RoleArn=role_arn, RoleSessionName=session)["Credentials"])


def _keys(made: CredentialsTypeDef) -> Credentials:
    return Credentials(made["AccessKeyId"], made["SecretAccessKey"], made["SessionToken"])


def signed_by(
    keys: Credentials, method: str, url: str, headers: Mapping[str, str], body: bytes, region: str = "us-west-2"
) -> dict[str, str]:
    """Give the headers that a request is sent with: mcp-proxy-for-aws signs all that it has but `connection`."""
    kept = {name: value for name, value in headers.items() if name.lower() != "connection"}
    signed = AWSRequest(method, url, {**kept, "host": urlsplit(url).netloc, "content-length": str(len(body))}, body)
    SigV4Auth(keys, "execute-api", region).add_auth(signed)
    return {name.lower(): str(value) for name, value in signed.headers.items()}


def request_by(
    keys: Credentials, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
) -> HttpRequest:
    """Give a signed request as the internal door gets it."""
    usual = {"accept": "application/json, text/event-stream", "content-type": "application/json", **(headers or {})}
    resource, _, query = path.partition("?")
    sent = signed_by(keys, method, f"https://internal.example{path}", usual, body)
    return HttpRequest(method, unquote(resource), query, sent, body)
