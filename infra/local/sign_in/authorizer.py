"""The JWT authoriser of an HTTP API: which tokens it lets in, what it says of others, what functions see of a token.

Source: API Gateway developer guide, "Control access to HTTP APIs with JWT authorizers" and "Troubleshooting issues with
HTTP API JWT authorizers". The wording of refusals that the guide does not show is ours. Tokens live in real time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from infra.local.gateway import Refused
from infra.local.sign_in.keys import BadToken, verified

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from pydantic import JsonValue

    from infra.local.messages import HttpRequest
    from infra.local.sign_in.keys import Claims, PublicKeys


@dataclass(frozen=True)
class JwtAuthorizer:
    """Lets in whoever shows a token of the issuer, for one of the audiences, that is good at a moment."""

    issuer: str
    audience: Sequence[str]
    keys: PublicKeys
    moment: datetime

    def __call__(self, request: HttpRequest, scopes: Sequence[str]) -> dict[str, JsonValue]:
        """Give what the event says of the token; raise Refused without one that is good or holds one of the scopes."""
        claims = self._claims(token_of(request), scopes)
        held = _words(claims.get("scope")) or _words(claims.get("scp"))
        matched = [scope for scope in scopes if scope in held]
        if scopes and not matched:
            raise _refused(403, scopes, "insufficient_scope", "the token does not hold the scope of the route")
        return {"jwt": {"claims": {name: _text(value) for name, value in claims.items()}, "scopes": [*matched] or None}}

    def _claims(self, token: str, scopes: Sequence[str]) -> Claims:
        if not token:
            raise Refused(401, "Unauthorized", {"www-authenticate": "Bearer"})
        try:
            claims = verified(token, self.keys)
        except BadToken as bad:
            raise _refused(401, scopes, "invalid_token", str(bad)) from bad
        if wrong := self._wrong(claims):
            raise _refused(401, scopes, "invalid_token", wrong)
        return claims

    def _wrong(self, claims: Claims) -> str | None:
        """Say what is wrong with a token that the issuer's key signed."""
        now = self.moment.timestamp()
        if claims.get("iss") != self.issuer:
            return "the token does not have a valid issuer"
        # The client counts only where the token names no audience.
        named = claims["aud"] if "aud" in claims else claims.get("client_id")
        if not {*_words(named)} & {*self.audience}:
            return "the token does not have a valid audience"
        if not _number(claims.get("exp")) > now:
            return "the token has expired"
        if not (_number(claims.get("nbf", 0)) <= now and _number(claims.get("iat", 0)) <= now):
            return "the token is not valid yet"
        return None


def token_of(request: HttpRequest) -> str:
    """Read the token of a request; its scheme may be left out, and may be written as one likes."""
    first, _, rest = request.headers.get("authorization", "").strip().partition(" ")
    return rest.strip() if first.lower() == "bearer" else first


def _refused(status: int, scopes: Sequence[str], error: str, description: str) -> Refused:
    challenge = f'Bearer scope="{" ".join(scopes)}" error="{error}" error_description="{description}"'
    message = {401: "Unauthorized", 403: "Forbidden"}[status]
    return Refused(status, message, {"www-authenticate": challenge})


def _words(value: JsonValue) -> list[str]:
    if isinstance(value, list):
        return [each for each in value if isinstance(each, str)]
    return value.split() if isinstance(value, str) else []


def _number(value: JsonValue) -> float:
    """Read a time; what is none compares with no moment, as an expiry or as a beginning."""
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else float("nan")


def _text(value: JsonValue) -> str:
    """Write a claim as the service does: all of them are text, a list in brackets."""
    if isinstance(value, list):
        return f"[{' '.join(_text(each) for each in value)}]"
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else str(value)
