"""For whom the gateway calls: whom a token names that was made for it, or which role signed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from functions.core import settings
from functions.core.caller import SCOPE_PREFIX, Claim, claim_of_token
from functions.core.documents import member
from functions.core.errors import Unauthenticated
from functions.core.groups import READERS, scopes_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

# A session's ARN names its role without the path.
_SESSION: Final = re.compile(r"arn:([\w-]+):sts::(\d{12}):assumed-role/([^/]+)/.+")
_SIGNED: Final = "iam"


def claim_of(event: Mapping[str, JsonValue]) -> Claim:
    """Read the caller from an HTTP API event; raise Unauthenticated when it names none.

    A role whose group nobody said may read, whatever lets it in.
    """
    authorizer = _authorizer(event)
    if claims := member(member(authorizer, "jwt"), "claims"):
        return claim_of_token(claims, _prefix(claims), settings.machine_client_id())
    if signer := member(authorizer, _SIGNED).get("userArn"):
        return _claim_of_role(str(signer))
    raise Unauthenticated("The request carries no verified token.", remedy="Sign in and send the access token.")


def audience_of(event: Mapping[str, JsonValue]) -> str | None:
    """Give the address that the caller's token was made for; None without sign-in."""
    return _audience(member(member(_authorizer(event), "jwt"), "claims"))


def _authorizer(event: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return member(member(event, "requestContext"), "authorizer")


def _audience(claims: Mapping[str, JsonValue]) -> str | None:
    # HTTP APIs write a claim that is a list as text: "[https://...]".
    return str(claims.get("aud") or "").strip("[]") or None


def _prefix(claims: Mapping[str, JsonValue]) -> str:
    """Say what the names of scopes begin with: those of a resource with its address, which the gateway has checked."""
    audience = _audience(claims)
    return f"{audience}/" if audience else SCOPE_PREFIX


def _claim_of_role(signer: str) -> Claim:
    groups = tuple(sorted(group for role, group in settings.agent_roles().items() if _is_session_of(signer, role)))
    held = groups or (READERS,)
    # Whoever has the role names its session, so a session is nobody; it is told as the program in between.
    role, _, session = signer.rpartition("/") if _SESSION.fullmatch(signer) else (signer, "", _SIGNED)
    return Claim(id=role, scopes=scopes_of(held), groups=held, client=session)


def _is_session_of(signer: str, role_arn: str) -> bool:
    found = _SESSION.fullmatch(signer)
    if found is None:
        return signer == role_arn
    partition, account, name = found.groups()
    return role_arn.startswith(f"arn:{partition}:iam::{account}:role/") and role_arn.rpartition("/")[2] == name
