"""What stands before the public gateway: the documents that a deployment publishes, its sign-in, and who is let in.

On AWS these are CloudFront with its functions and files, Cognito, and the gateway's authorisers.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Protocol

from infra.host.addresses import (
    AUTHORIZATION_SERVER_PATH,
    CONSOLE_CONFIG_PATH,
    PROTECTED_RESOURCE,
    PROTECTED_RESOURCE_PATHS,
    authorization_server,
    console_config,
    is_of_mcp,
    mcp_url,
    protected_resource,
    scope_of,
)
from infra.local import gateway, sockets
from infra.local.messages import HttpRequest, HttpResponse
from infra.local.sign_in.authorizer import JwtAuthorizer
from infra.local.sign_in.clients import IDS
from infra.local.sign_in.provider import DEFAULT_ORIGIN, Provider
from infra.topology import MCP_PATH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import JsonValue

    from functions.core.declaration import Route
    from infra.host.addresses import Clients, SignInAddresses

    Document = Mapping[str, JsonValue]

_WELL_KNOWN: Final = "/.well-known/"
# As the console's distribution has them for these paths, and edge_functions/documents.js for a browser that asks first.
_OPENED: Final = {"access-control-allow-origin": "*"}
_ASKED_FIRST: Final = {
    "access-control-allow-methods": "GET, HEAD",
    "access-control-allow-headers": "*",
    "access-control-max-age": "86400",
}


class Auth(StrEnum):
    """Whether everybody at the machine is let in, or people sign in as on AWS."""

    LOCAL = "local"
    COGNITO = "cognito"


class Front(Protocol):
    """One way to let people in; `origin` is where they find the host, known once its ports are open."""

    origin: str

    def answer(self, request: HttpRequest) -> HttpResponse | None:
        """Answer what is not for the gateway; None for what is."""

    def authorizer(self, request: HttpRequest, scopes: Sequence[str]) -> dict[str, JsonValue]:
        """Let a request in, or raise Refused."""

    def scope_of(self, route: Route) -> str:
        """Name the scope that a token needs for a route."""


@dataclass
class OpenFront:
    """Lets everyone in as `local`; nothing describes how to sign in, since nobody has to."""

    region: str
    release: str
    origin: str = DEFAULT_ORIGIN

    def answer(self, request: HttpRequest) -> HttpResponse | None:
        """Answer what is not for the gateway; None for what is."""
        config = _config(self.origin, None, None, self.region, self.release)
        return _published(request, {CONSOLE_CONFIG_PATH: config})

    def authorizer(self, request: HttpRequest, scopes: Sequence[str]) -> dict[str, JsonValue]:
        """Let everyone in."""
        return gateway.local_authorizer(request, scopes)

    def scope_of(self, route: Route) -> str:
        """Name the scope that a token needs for a route."""
        return scope_of(self.origin, route)


@dataclass
class CognitoFront:
    """Lets in whoever shows a token of the stand-in for Cognito that was made for what is asked."""

    provider: Provider
    region: str
    release: str

    @property
    def origin(self) -> str:
        """Say where people find the host."""
        return self.provider.origin

    @origin.setter
    def origin(self, origin: str) -> None:
        self.provider.origin = origin

    def answer(self, request: HttpRequest) -> HttpResponse | None:
        """Answer what is not for the gateway; None for what is."""
        documents = {
            CONSOLE_CONFIG_PATH: _config(self.origin, self.provider.addresses, IDS, self.region, self.release),
            AUTHORIZATION_SERVER_PATH: authorization_server(self.origin, self.provider.addresses),
            **dict.fromkeys(PROTECTED_RESOURCE_PATHS, protected_resource(self.origin)),
        }
        return _published(request, documents) or self.provider.answer(request) or challenge(request, self.origin)

    def authorizer(self, request: HttpRequest, scopes: Sequence[str]) -> dict[str, JsonValue]:
        """Let a request in by its token: agents' are for /mcp alone, and the others' are not."""
        audience = (mcp_url(self.origin),) if is_of_mcp(request.path) else IDS.of_the_api
        key = self.provider.key
        issuer = self.provider.addresses.issuer
        return JwtAuthorizer(issuer, audience, {key.id: key.public}, self.provider.now())(request, scopes)

    def scope_of(self, route: Route) -> str:
        """Name the scope that a token needs for a route."""
        return scope_of(self.origin, route)


def _config(
    origin: str, sign_in: SignInAddresses | None, clients: Clients | None, region: str, release: str
) -> Document:
    socket = f"{origin.replace('http', 'ws', 1)}{sockets.PATH}"
    return console_config(origin, sign_in, clients, websocket_url=socket, region=region, release=release)


def _published(request: HttpRequest, documents: Mapping[str, Document]) -> HttpResponse | None:
    """Answer with a document; agents in browsers look up those under /.well-known from whatever page they are on."""
    document = documents.get(request.path)
    if document is None:
        return None
    opened = _OPENED if request.path.startswith(_WELL_KNOWN) else {}
    if request.method == "OPTIONS" and opened:
        return HttpResponse(204, {**opened, **_ASKED_FIRST})
    if request.method not in ("GET", "HEAD"):
        return None
    answer = HttpResponse.of_json(200, document)
    answer.headers |= opened
    return answer


def challenge(request: HttpRequest, origin: str) -> HttpResponse | None:
    """Ask for a token as edge_functions/challenge.js does, where a request to /mcp brings none."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if not is_of_mcp(request.path) or request.method == "OPTIONS" or (scheme.lower() == "bearer" and token.strip()):
        return None
    metadata = f"{origin}{PROTECTED_RESOURCE}{MCP_PATH}"
    answer = HttpResponse.of_json(
        401,
        {
            "type": "about:blank",
            "title": "Not authenticated",
            "status": 401,
            "code": "unauthenticated",
            "detail": "The request carries no bearer token.",
            "remedy": f"Sign in as {metadata} describes and send the access token in the Authorization header.",
        },
        "application/problem+json",
    )
    answer.headers |= {
        "www-authenticate": f'Bearer resource_metadata="{metadata}"',
        "cache-control": "no-store",
        "access-control-allow-origin": "*",
        "access-control-expose-headers": "www-authenticate",
    }
    return answer
