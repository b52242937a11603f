"""The IAM authoriser of the internal door: whose signature a request carries, and whether it may come in.

The door is open to the gateway's role, and to those of agents as far as the gateway. Signatures are judged by real
time, as AWS judges them.
"""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from infra.local.gateway import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pydantic import JsonValue

    from infra.local.authorization.guard import Guard
    from infra.local.identities import Identities, Identity
    from infra.local.messages import HttpRequest

SERVICE: Final = "execute-api"
_SKEW: Final = timedelta(minutes=5)
_HEADER: Final = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<key>\w+)/\d{8}/(?P<region>[a-z0-9-]+)/execute-api/aws4_request, ?"
    r"SignedHeaders=(?P<headers>[a-z0-9;-]+), ?Signature=(?P<signature>[0-9a-f]{64})"
)
_DATE: Final = "%Y%m%dT%H%M%SZ"


@dataclass(frozen=True)
class IamAuthorizer:
    """Lets in sessions of the gateway's role and of agents' roles, whose signature is right, to what each may call."""

    identities: Identities
    gateway: str
    region: str
    clock: Callable[[], datetime]
    """The host's clock, by which sessions end."""
    guard: Guard

    def __call__(self, request: HttpRequest, _: Sequence[str]) -> dict[str, JsonValue]:
        """Give what the event says of whoever signed; raise Refused for everybody but those roles."""
        identity = self._signer(request)
        if identity is None or not self._is_allowed(identity, request):
            raise Refused(403, "Forbidden")
        return {"iam": _described(identity, self.identities.account_id)}

    def _signer(self, request: HttpRequest) -> Identity | None:
        found = _HEADER.fullmatch(request.headers.get("authorization", ""))
        identity = self.identities.get(found["key"]) if found and found["region"] == self.region else None
        if found is None or identity is None or not self._is_current(identity):
            return None
        expected = _signature(request, identity, self.region, found["headers"].split(";"))
        return identity if expected is not None and hmac.compare_digest(expected, found["signature"]) else None

    def _is_allowed(self, identity: Identity, request: HttpRequest) -> bool:
        if identity.role_arn != self.gateway:
            return self.guard.lets_agent(identity.role_arn, request.method, request.path)
        role = identity.role_arn.rpartition("/")[2]
        return self.guard.invocation_denial(role, request.method, request.path) is None

    def _is_current(self, identity: Identity) -> bool:
        return identity.expires is None or self.clock() < identity.expires


def _signature(request: HttpRequest, identity: Identity, region: str, names: Sequence[str]) -> str | None:
    """Sign a request as its sender had to; None for one that is too old, or whose signature leaves out what it must."""
    headers = request.headers
    date, token = headers.get("x-amz-date", ""), headers.get("x-amz-security-token")
    needed = {"host", "x-amz-date", *(name for name in headers if name.startswith("x-amz-"))}
    whole = needed <= {*names} <= headers.keys()
    if not whole or token != identity.session_token or not _is_recent(date):
        return None
    signer = SigV4Auth(Credentials(identity.access_key, identity.secret_key, token), SERVICE, region)
    url = f"http://{headers['host']}{quote(request.path, safe='/~')}{request.query and '?' + request.query}"
    signed = AWSRequest(request.method, url, {name: headers[name] for name in names}, request.body)
    signed.context["timestamp"] = date
    text = signer.string_to_sign(signed, signer.canonical_request(signed))
    return str(signer.signature(text, signed))


def _is_recent(date: str) -> bool:
    try:
        signed_at = datetime.strptime(date, _DATE).replace(tzinfo=UTC)
    except ValueError:
        return False
    return abs(datetime.now(UTC) - signed_at) <= _SKEW


def _described(identity: Identity, account: str) -> dict[str, JsonValue]:
    caller = f"{identity.access_key}:{identity.session}"
    return {
        "accessKey": identity.access_key,
        "accountId": account,
        "callerId": caller,
        "cognitoIdentity": None,
        "principalOrgId": None,
        "userArn": identity.arn,
        "userId": caller,
    }
