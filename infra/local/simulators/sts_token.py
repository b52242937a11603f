"""Verify EKS bearer tokens: a presigned GetCallerIdentity URL that names the cluster in a signed header.

The recipe is aws-iam-authenticator's (`k8s-aws-v1.` + unpadded base64url of the URL); the API server asks STS, which
recomputes the signature. Here it is recomputed with botocore from the secret of the access key.
"""

from __future__ import annotations

import binascii
import hmac
import re
from base64 import urlsafe_b64decode
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from botocore.auth import SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

if TYPE_CHECKING:
    from collections.abc import Callable

PREFIX = "k8s-aws-v1."
CLUSTER_HEADER = "x-k8s-aws-id"
LONGEST_EXPIRY = 60
VALIDITY = timedelta(minutes=15)
CLOCK_SKEW = timedelta(minutes=5)
REGIONAL_HOST = re.compile(r"sts\.([a-z]{2}(?:-[a-z]+)+-\d)\.amazonaws\.com(?:\.cn)?")
DATE_FORMAT = "%Y%m%dT%H%M%S%z"
KNOWN_PARAMETERS = frozenset(
    {
        "action",
        "version",
        "x-amz-algorithm",
        "x-amz-credential",
        "x-amz-date",
        "x-amz-expires",
        "x-amz-security-token",
        "x-amz-signature",
        "x-amz-signedheaders",
    }
)


class InvalidToken(Exception):
    """The bearer token is refused; the text says why."""


class _QueryAuth(SigV4QueryAuth):
    """SigV4 in the query, at a given moment instead of the wall clock."""

    def signature_at(self, request: AWSRequest, timestamp: str) -> str:
        request.context["timestamp"] = timestamp
        canonical = self.canonical_request(request)
        return str(self.signature(self.string_to_sign(request, canonical), request))


def read_token(token: str, cluster_name: str, secret_of: Callable[[str], str | None], real_now: datetime) -> str:
    """The access key that signed a token for a cluster; raises InvalidToken."""
    url = _url(token)
    parts = urlsplit(url)
    parameters = dict(parse_qsl(parts.query, keep_blank_values=True))
    region = _check_target(url, parameters)
    _check_time(parameters, real_now)
    access_key, scope_region = _credential(parameters)
    if scope_region != region:
        raise InvalidToken(f"the credential scope is for {scope_region}, the host for {region}")
    secret = secret_of(access_key)
    if secret is None:
        raise InvalidToken(f"access key {access_key} is unknown")
    expected = _signature(url, parameters, Credentials(access_key, secret), region, cluster_name)
    if not hmac.compare_digest(expected, parameters["X-Amz-Signature"]):
        raise InvalidToken(f"the signature does not match for cluster {cluster_name}")
    return access_key


def _url(token: str) -> str:
    if not token.startswith(PREFIX):
        raise InvalidToken(f"the token does not start with {PREFIX}")
    encoded = token.removeprefix(PREFIX)
    try:
        return urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode()
    except (binascii.Error, ValueError) as error:
        raise InvalidToken("the token is not base64url") from error


def _check_target(url: str, parameters: dict[str, str]) -> str:
    """The URL calls GetCallerIdentity at a regional STS endpoint, signs the cluster header; gives the region."""
    parts = urlsplit(url)
    host = REGIONAL_HOST.fullmatch(parts.netloc)
    if parts.scheme != "https" or not host or parts.path != "/":
        raise InvalidToken(f"{parts.scheme}://{parts.netloc}{parts.path} is not a regional STS endpoint")
    unknown = sorted(name for name in parameters if name.lower() not in KNOWN_PARAMETERS)
    if unknown:
        raise InvalidToken(f"query parameter {unknown[0]} is not allowed")
    if parameters.get("Action") != "GetCallerIdentity":
        raise InvalidToken(f"the action is {parameters.get('Action')}, not GetCallerIdentity")
    missing = sorted({"X-Amz-Signature", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires"} - parameters.keys())
    if missing:
        raise InvalidToken(f"query parameter {missing[0]} is missing")
    if CLUSTER_HEADER not in parameters.get("X-Amz-SignedHeaders", "").lower().split(";"):
        raise InvalidToken(f"{CLUSTER_HEADER} is not among the signed headers")
    return host[1]


def _check_time(parameters: dict[str, str], real_now: datetime) -> None:
    """The URL says 60 seconds at most; the authenticator accepts a token for 15 minutes after its date."""
    try:
        signed_at = datetime.strptime(parameters["X-Amz-Date"], DATE_FORMAT)
        expires = int(parameters["X-Amz-Expires"])
    except ValueError as error:
        raise InvalidToken("X-Amz-Date or X-Amz-Expires cannot be read") from error
    if not 0 < expires <= LONGEST_EXPIRY:
        raise InvalidToken(f"X-Amz-Expires is {expires}, more than {LONGEST_EXPIRY}")
    if real_now > signed_at + VALIDITY:
        raise InvalidToken(f"the token expired 15 minutes after {signed_at.isoformat()}")
    if signed_at > real_now + CLOCK_SKEW:
        raise InvalidToken(f"the token is dated in the future: {signed_at.isoformat()}")


def _credential(parameters: dict[str, str]) -> tuple[str, str]:
    parts = parameters["X-Amz-Credential"].split("/")
    if len(parts) != 5 or parts[3:] != ["sts", "aws4_request"]:
        raise InvalidToken(f"the credential scope {parameters['X-Amz-Credential']} is not STS's")
    return parts[0], parts[2]


def _signature(url: str, parameters: dict[str, str], credentials: Credentials, region: str, cluster_name: str) -> str:
    unsigned = re.sub(r"[?&]X-Amz-Signature=[^&]*", "", url)
    request = AWSRequest(method="GET", url=unsigned, headers={CLUSTER_HEADER: cluster_name})
    return _QueryAuth(credentials, "sts", region).signature_at(request, parameters["X-Amz-Date"])
