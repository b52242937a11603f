"""What a program asks a person's consent for, checked before anybody is asked (RFC 6749, 7636, 8707)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from infra.local.sign_in.clients import Client

_CHALLENGE_LENGTH: Final = 43  # SHA-256 in base64url


class Unregistered(Exception):
    """The program, or where it wants its answer, is not registered: it is told to the person, and to nobody else."""


class OAuthError(Exception):
    """What a program did wrong, as RFC 6749 names it."""

    def __init__(self, error: str, description: str) -> None:
        super().__init__(f"{error}: {description}")
        self.error = error
        self.description = description


@dataclass(frozen=True)
class AuthorizationRequest:
    """A request that may be put to a person."""

    client: Client
    callback: str
    scopes: tuple[str, ...]
    state: str | None
    challenge: str
    resource: str | None
    nonce: str | None


def checked(sent: Mapping[str, str], clients: Mapping[str, Client], resource: str) -> AuthorizationRequest:
    """Read a request for a code, for the API or for `resource`; raise OAuthError or Unregistered."""
    client, callback = registered(sent, clients)
    if sent.get("response_type") != "code":
        raise OAuthError("unsupported_response_type", "response_type has to be code")
    challenge = sent.get("code_challenge", "")
    if sent.get("code_challenge_method") != "S256" or len(challenge) != _CHALLENGE_LENGTH:
        raise OAuthError("invalid_request", "a program without a secret has to send a code_challenge with S256")
    if (asked := sent.get("resource")) not in (None, resource):
        raise OAuthError("invalid_target", f"the resource {asked} is not one of this user pool")
    scopes = allowed(sent.get("scope", ""), client)
    return AuthorizationRequest(client, callback, scopes, sent.get("state"), challenge, asked, sent.get("nonce"))


def registered(sent: Mapping[str, str], clients: Mapping[str, Client]) -> tuple[Client, str]:
    """Give the program of a request and where its answer goes; raise Unregistered."""
    client = clients.get(sent.get("client_id", ""))
    if client is None or client.callback is None:
        raise Unregistered(f"There is no program {sent.get('client_id')!r} that people sign in with.")
    if sent.get("redirect_uri") != client.callback:
        raise Unregistered(f"{client.id} is registered for {client.callback}, not for {sent.get('redirect_uri')!r}.")
    return client, client.callback


def allowed(text: str, client: Client) -> tuple[str, ...]:
    """Read the scopes asked for, all that the program may have when it names none; raise OAuthError for another."""
    asked = tuple(dict.fromkeys(text.split())) or client.scopes
    if foreign := [scope for scope in asked if scope not in client.scopes]:
        raise OAuthError("invalid_scope", f"{client.id} may not ask for {' '.join(foreign)}")
    return asked


def answered(callback: str, state: str | None, **answer: str) -> str:
    """Give the address that takes an answer back to a program."""
    query = urlencode(answer | ({} if state is None else {"state": state}))
    return f"{callback}{'&' if '?' in callback else '?'}{query}"
