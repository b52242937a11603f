"""People, programs and the gateway as they come to the local host: with tokens of its sign-in, or a signature."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from functions.core.caller import CALLER_HEADER
from functions.core.declaration import Scope
from functions.core.groups import ADMINISTRATORS
from infra.host.addresses import api_scopes
from infra.local.entrances import provider_of
from infra.local.front import CognitoFront
from infra.local.host import ACCOUNT_ID, LocalHost
from infra.local.messages import HttpRequest, HttpResponse
from infra.local.sign_in.clients import IDS
from infra.local.sign_in.tokens import challenge_of
from infra.release import Place, function_role
from tests.host.driver import Json

if TYPE_CHECKING:
    from pydantic import JsonValue

    from infra.local.sign_in.provider import Provider

PLACE: Final = Place(ACCOUNT_ID, "us-west-2")
VERIFIER: Final = "a" * 43
FORM: Final = {"content-type": "application/x-www-form-urlencoded"}


@dataclass
class People:
    """A host that people sign in to, and the moment that its sign-in takes for the present."""

    host: LocalHost
    provider: Provider
    moment: datetime

    @property
    def origin(self) -> str:
        return self.provider.origin

    def pass_by(self, time: timedelta) -> None:
        """Let real time pass, as far as tokens are concerned."""
        self.moment += time

    # -- requests

    def send(
        self,
        method: str,
        path: str,
        token: str | None = None,
        body: JsonValue = None,
        headers: Mapping[str, str] | None = None,
    ) -> HttpResponse:
        """Send a request to the public door."""
        shown = {} if token is None else {"authorization": f"Bearer {token}"}
        return self.host.request(method, path, body, {**shown, **(headers or {})})

    def document(self, path: str) -> Json:
        """Read a published document."""
        answer = self.send("GET", path)
        assert answer.status == 200, answer
        return dict(json.loads(answer.body))

    def form(self, path: str, fields: Mapping[str, str], headers: Mapping[str, str] | None = None) -> HttpResponse:
        """Send a form to the sign-in."""
        return self.host.handle(HttpRequest("POST", path, "", {**FORM, **(headers or {})}, urlencode(fields).encode()))

    # -- tokens

    def token(
        self, scopes: Sequence[Scope], *, groups: Sequence[str] = (), changed: Mapping[str, JsonValue] | None = None
    ) -> str:
        """Make a token that the sign-in would make, but for what is `changed`; None leaves a claim out."""
        now = int(self.moment.timestamp())
        claims: dict[str, JsonValue] = {
            "sub": "ann",
            "username": "ann",
            "iss": self.provider.addresses.issuer,
            "client_id": IDS.console,
            "token_use": "access",
            "scope": " ".join(f"instantstart/{scope}" for scope in scopes),
            # This group holds every scope, so those that the token names are those that count.
            "cognito:groups": [*groups, ADMINISTRATORS],
            "iat": now,
            "exp": now + 3600,
            **(changed or {}),
        }
        return self.provider.key.sign({name: value for name, value in claims.items() if value is not None})

    def signed_in(self, user: str, **asked: str) -> dict[str, str]:
        """Sign in on the page as the console does, and give the answer with the tokens."""
        code = self.answer_of_page(user, **asked)["code"]
        return self.redeemed(code, **{name: asked[name] for name in ("client_id", "redirect_uri") if name in asked})

    def answer_of_page(self, user: str, **asked: str) -> dict[str, str]:
        """Go through the page and give what the program's callback gets."""
        sent = self.asked(**asked)
        page = self.send("GET", f"/oauth2/authorize?{urlencode(sent)}")
        assert page.status == 302, page
        shown = self.send("GET", page.headers["location"])
        assert shown.status == 200, shown
        chosen = self.form("/login", {**sent, "user": user})
        return query_of(chosen)

    def asked(self, **changed: str) -> dict[str, str]:
        """Give the request of the console for a code."""
        asked = {
            "response_type": "code",
            "client_id": IDS.console,
            "redirect_uri": f"{self.origin}/",
            "scope": " ".join(["openid", *api_scopes()]),
            "state": "s t&te",
            "code_challenge": challenge_of(VERIFIER),
            "code_challenge_method": "S256",
        }
        return {name: value for name, value in (asked | changed).items() if value}

    def redeemed(self, code: str, **changed: str) -> dict[str, str]:
        """Give what the token endpoint answers to a code."""
        fields = {
            "grant_type": "authorization_code",
            "client_id": IDS.console,
            "redirect_uri": f"{self.origin}/",
            "code": code,
            "code_verifier": VERIFIER,
        }
        return answered(self.form("/oauth2/token", fields | changed))

    def refreshed(self, token: str, **changed: str) -> dict[str, str]:
        """Give what the token endpoint answers to a refresh token."""
        fields = {"grant_type": "refresh_token", "client_id": IDS.console, "refresh_token": token}
        return answered(self.form("/oauth2/token", fields | changed))


@contextmanager
def signing_in(host: LocalHost, directory: Path) -> Iterator[People]:
    """Let people sign in to a host while a block runs."""
    usual = host.entrances.front
    provider = provider_of(directory, host.options.region, host.integrate)
    people = People(host, provider, datetime.now(UTC))
    provider.now = lambda: people.moment
    host.entrances.front = CognitoFront(provider, host.options.region, "test")
    try:
        yield people
    finally:
        host.entrances.front = usual


def signed(
    host: LocalHost, method: str, path: str, body: JsonValue = None, *, function: str = "mcp", claim: JsonValue = None
) -> HttpResponse:
    """Send a request to the internal door, signed by the role of a function."""
    return host.handle_internal(sent_by(host, function, method, path, body, claim))


def sent_by(
    host: LocalHost,
    function: str | None,
    method: str,
    path: str,
    body: JsonValue,
    claim: JsonValue,
    until: datetime | None = None,
) -> HttpRequest:
    """Give a request to the internal door, signed by a session of a function's role, or by a key of one's own."""
    content = b"" if body is None else json.dumps(body).encode()
    claimed = {} if claim is None else {CALLER_HEADER: json.dumps(claim)}
    headers = {"host": "internal.example", "content-type": "application/json", **claimed}
    request = AWSRequest(method, f"http://internal.example{path}", headers, content)
    SigV4Auth(_keys(host, function, until), "execute-api", host.options.region).add_auth(request)
    signed_headers = {name.lower(): str(value) for name, value in request.headers.items()}
    resource, _, query = path.partition("?")
    return HttpRequest(method, unquote(resource), query, signed_headers, content)


def _keys(host: LocalHost, function: str | None, until: datetime | None) -> Credentials:
    if function is None:
        return Credentials("local", "local")
    identity = host.identities.assume(PLACE.role_arn(function_role(function)), "test", until)
    return Credentials(identity.access_key, identity.secret_key, identity.session_token)


def answered(response: HttpResponse) -> dict[str, str]:
    """Read a JSON answer of the sign-in."""
    document = json.loads(response.body)
    assert isinstance(document, dict)
    return document


def query_of(response: HttpResponse) -> dict[str, str]:
    """Read what an answer takes back to a program."""
    assert response.status == 302, response
    return dict(parse_qsl(urlsplit(response.headers["location"]).query))
