"""The way to the API: the internal door, signed with the gateway's own role, with the caller as a claim.

The caller's token stays here: it was made for the gateway, and no one else may see it (MCP specification, security
best practices, "Token passthrough").
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest

from functions.core import runtime, settings
from functions.core.caller import CALLER_HEADER
from functions.core.errors import Unavailable
from functions.core.web import ConnectionBroken, Unreachable, WebRequest
from mcp_gateway.following import AGAIN

if TYPE_CHECKING:
    from functions.core.caller import Claim
    from functions.core.web import WebAnswer
    from mcp_gateway.requests import ApiRequest

_SERVICE: Final = "execute-api"


def send(request: ApiRequest, claim: Claim, seconds: float) -> WebAnswer:
    """Send a request for a caller; raise Unavailable when the API gives no answer in time."""
    url = f"{settings.internal_api_url()}{request.path}"
    headers = {**request.headers, CALLER_HEADER: json.dumps(claim.model_dump(mode="json"))}
    signed = AWSRequest(request.method, url, headers, request.body)
    SigV4Auth(runtime.credentials(), _SERVICE, settings.required("AWS_REGION")).add_auth(signed)
    try:
        return _sent(WebRequest(request.method, url, dict(signed.headers.items()), request.body), seconds)
    except Unreachable as error:
        raise Unavailable(
            f"The API gave the gateway no answer to {request.method} {request.path.partition('?')[0]} ({error}).",
            remedy=AGAIN,
        ) from error


def _sent(request: WebRequest, seconds: float) -> WebAnswer:
    """Send a request, and again where a connection broke that nobody had used for a while: no request counts twice."""
    try:
        return runtime.web().send(request, seconds)
    except ConnectionBroken:
        return runtime.web().send(request, seconds)
