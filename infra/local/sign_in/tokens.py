"""The token endpoint: what a program shows, and the tokens that it gets for it."""

from __future__ import annotations

import base64
import binascii
import hashlib
import secrets
from datetime import timedelta
from typing import TYPE_CHECKING

from infra.local.gateway import FunctionError
from infra.local.sign_in import claims
from infra.local.sign_in.keys import encoded
from infra.local.sign_in.requests import OAuthError, allowed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from pydantic import JsonValue

    from infra.local.sign_in.clients import Client
    from infra.local.sign_in.grants import Grant, Grants
    from infra.local.sign_in.keys import Claims, SigningKey

    Narrow = Callable[[Claims], JsonValue]


class Tokens:
    """Makes tokens of one issuer; `narrow` is the user pool's trigger, asked before each token of a person."""

    def __init__(self, issuer: str, region: str, key: SigningKey, grants: Grants, narrow: Narrow) -> None:
        self._issuer = issuer
        self._region = region
        self._key = key
        self._grants = grants
        self._narrow = narrow

    def answer(
        self, sent: Mapping[str, str], headers: Mapping[str, str], clients: Mapping[str, Client], moment: datetime
    ) -> Claims:
        """Answer a request for tokens; raise OAuthError."""
        client = identified(sent, headers, clients)
        match sent.get("grant_type"):
            case "authorization_code" if client.callback is not None:
                return self._of_code(sent, client, moment)
            case "refresh_token" if client.callback is not None:
                return self._of_refresh_token(sent, client, moment)
            case "client_credentials" if client.secret is not None:
                return self._of_machine(sent, client, moment)
        raise OAuthError("unauthorized_client", f"{client.id} may not use the grant {sent.get('grant_type')!r}")

    def _of_code(self, sent: Mapping[str, str], client: Client, moment: datetime) -> Claims:
        grant = self._grants.redeem(sent.get("code", ""), moment)
        if grant is None or grant.client_id != client.id or sent.get("redirect_uri") != grant.callback:
            raise OAuthError("invalid_grant", "the code is unknown, used, too old or another program's")
        if not secrets.compare_digest(challenge_of(sent.get("code_verifier", "")), grant.challenge):
            raise OAuthError("invalid_grant", "the code_verifier does not match the code_challenge")
        made = self._of_person(grant, "HostedAuth", moment)
        ends = moment + timedelta(seconds=client.refresh_seconds)
        return made | {"refresh_token": self._grants.refresh_token_for(grant, ends)}

    def _of_refresh_token(self, sent: Mapping[str, str], client: Client, moment: datetime) -> Claims:
        rotated = self._grants.rotate(sent.get("refresh_token", ""), client.id, moment)
        if rotated is None:
            raise OAuthError("invalid_grant", "the refresh token is unknown, revoked, too old or another program's")
        grant, following = rotated
        return self._of_person(grant, "RefreshTokens", moment) | {"refresh_token": following}

    def _of_machine(self, sent: Mapping[str, str], client: Client, moment: datetime) -> Claims:
        # The trigger V2_0, which the deployment registers, is not asked about machines.
        scopes = allowed(sent.get("scope", ""), client)
        return _answer(self._key.sign(claims.of_machine(client, self._issuer, scopes, moment)))

    def _of_person(self, grant: Grant, source: str, moment: datetime) -> Claims:
        suppressed = self._suppressed(grant, source)
        scopes = [scope for scope in grant.scopes if scope not in suppressed]
        made = _answer(self._key.sign(claims.of_person(grant, self._issuer, scopes, moment)))
        if "openid" in scopes:
            made["id_token"] = self._key.sign(claims.of_identity(grant, self._issuer, moment))
        return made

    def _suppressed(self, grant: Grant, source: str) -> list[str]:
        pool = self._issuer.rpartition("/")[2]
        try:
            answer = self._narrow(claims.question(grant, source, self._region, pool))
        except FunctionError as error:
            raise OAuthError("invalid_grant", f"PreTokenGeneration failed with error {error}") from error
        found = answer
        for name in ("response", "claimsAndScopeOverrideDetails", "accessTokenGeneration", "scopesToSuppress"):
            found = found.get(name) if isinstance(found, dict) else None
        if not isinstance(found, list):
            raise OAuthError("invalid_grant", "PreTokenGeneration gave an answer without scopes to suppress")
        return [str(scope) for scope in found]


def identified(sent: Mapping[str, str], headers: Mapping[str, str], clients: Mapping[str, Client]) -> Client:
    """Give the program that asks; raise OAuthError when it is unknown or does not know its secret."""
    name, secret = _basic(headers.get("authorization", "")) or (sent.get("client_id", ""), sent.get("client_secret"))
    client = clients.get(name)
    if client is None or (client.secret is None) != (secret is None):
        raise OAuthError("invalid_client", "the program is unknown, or has to prove itself in another way")
    if client.secret is not None and not secrets.compare_digest(client.secret.encode(), (secret or "").encode()):
        raise OAuthError("invalid_client", "the secret is not the program's")
    return client


def challenge_of(verifier: str) -> str:
    """Give the challenge that a proof belongs to (RFC 7636, S256)."""
    return encoded(hashlib.sha256(verifier.encode()).digest())


def _basic(header: str) -> tuple[str, str] | None:
    scheme, _, content = header.partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        name, _, secret = base64.b64decode(content, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError) as error:
        raise OAuthError("invalid_client", "the Authorization header is not Basic's") from error
    return name, secret


def _answer(token: str) -> Claims:
    return {"access_token": token, "token_type": "Bearer", "expires_in": int(claims.LIFETIME.total_seconds())}
