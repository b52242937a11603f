"""The endpoints of the stand-in for Cognito: pages for people, OAuth for programs, keys for whoever verifies."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, urlencode

from infra.host.addresses import SignInAddresses, mcp_url
from infra.local.messages import HttpRequest, HttpResponse
from infra.local.sign_in import pages
from infra.local.sign_in.clients import Client, registered
from infra.local.sign_in.grants import Grant, Grants
from infra.local.sign_in.keys import SigningKey
from infra.local.sign_in.requests import AuthorizationRequest, OAuthError, Unregistered, answered, checked
from infra.local.sign_in.requests import registered as registered_callback
from infra.local.sign_in.tokens import Tokens, identified

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from infra.local.sign_in.tokens import Narrow
    from infra.local.sign_in.users import User

DEFAULT_ORIGIN: Final = "http://localhost:3099"
_POOL: Final = "local"
_LOGIN: Final = "/login"


@dataclass
class Provider:
    """One user pool of this machine, reached at `origin`; it knows nobody but `users` and keeps nothing on disk."""

    region: str
    users: tuple[User, ...]
    machine_secret: str
    narrow: Narrow
    now: Callable[[], datetime]
    origin: str = DEFAULT_ORIGIN
    key: SigningKey = field(default_factory=SigningKey)
    grants: Grants = field(default_factory=Grants)

    @property
    def addresses(self) -> SignInAddresses:
        """Say who issues tokens and where people sign in."""
        scheme, _, host = self.origin.partition("://")
        return SignInAddresses(f"{self.origin}/{self.region}_{_POOL}", host, scheme)

    def answer(self, request: HttpRequest) -> HttpResponse | None:
        """Answer a request to one of the endpoints; None for any other."""
        keys = self.addresses.keys.removeprefix(self.origin)
        match request.method, request.path:
            case "GET", "/oauth2/authorize":
                return self._person(request, lambda sent, _: _redirect(f"{_LOGIN}?{urlencode(sent)}"))
            case "GET", "/login":
                return self._person(request, lambda sent, asked: pages.login(asked, sent, self.users))
            case "POST", "/login":
                return self._person(request, self._sign_in)
            case "POST", "/oauth2/token":
                return self._program(request, self._tokens)
            case "POST", "/oauth2/revoke":
                return self._program(request, self._revoke)
            case "GET", "/logout":
                return self._logout(request)
            case "GET", path if path == keys:
                return HttpResponse.of_json(200, {"keys": [self.key.document()]})
        return None

    @property
    def _clients(self) -> dict[str, Client]:
        return registered(self.origin, self.machine_secret)

    # -- people

    def _person(
        self, request: HttpRequest, go_on: Callable[[dict[str, str], AuthorizationRequest], HttpResponse]
    ) -> HttpResponse:
        sent = _form(request) if request.method == "POST" else dict(parse_qsl(request.query))
        try:
            return go_on(sent, checked(sent, self._clients, mcp_url(self.origin)))
        except Unregistered as reason:
            return pages.refusal(str(reason))
        except OAuthError as wrong:
            _, callback = registered_callback(sent, self._clients)
            told = {"error": wrong.error, "error_description": wrong.description}
            return _redirect(answered(callback, sent.get("state"), **told))

    def _sign_in(self, sent: dict[str, str], asked: AuthorizationRequest) -> HttpResponse:
        user = next((each for each in self.users if each.name == sent.get("user")), None)
        if user is None:
            return pages.refusal(f"There is no user {sent.get('user')!r} on this machine.")
        grant = Grant(
            client_id=asked.client.id,
            user=user,
            scopes=asked.scopes,
            callback=asked.callback,
            challenge=asked.challenge,
            resource=asked.resource,
            nonce=asked.nonce,
            signed_in_at=self.now(),
            origin_id=str(uuid.uuid4()),
        )
        return _redirect(answered(asked.callback, asked.state, code=self.grants.code_for(grant)))

    def _logout(self, request: HttpRequest) -> HttpResponse:
        sent = dict(parse_qsl(request.query))
        try:
            _, callback = registered_callback({**sent, "redirect_uri": sent.get("logout_uri", "")}, self._clients)
        except Unregistered as reason:
            return pages.refusal(str(reason))
        return _redirect(callback)

    # -- programs

    def _program(
        self, request: HttpRequest, answer: Callable[[Mapping[str, str], Mapping[str, str]], object]
    ) -> HttpResponse:
        try:
            response = HttpResponse.of_json(200, answer(_form(request), request.headers))
        except OAuthError as wrong:
            response = HttpResponse.of_json(400, {"error": wrong.error, "error_description": wrong.description})
        response.headers["cache-control"] = "no-store"
        return response

    def _tokens(self, sent: Mapping[str, str], headers: Mapping[str, str]) -> object:
        tokens = Tokens(self.addresses.issuer, self.region, self.key, self.grants, self.narrow)
        return tokens.answer(sent, headers, self._clients, self.now())

    def _revoke(self, sent: Mapping[str, str], headers: Mapping[str, str]) -> object:
        client = identified(sent, headers, self._clients)
        self.grants.revoke(sent.get("token", ""), client.id)
        return {}


def _form(request: HttpRequest) -> dict[str, str]:
    return dict(parse_qsl(request.body.decode(errors="replace")))


def _redirect(address: str) -> HttpResponse:
    return HttpResponse(302, {"location": address, "cache-control": "no-store"})
