"""The two HTTP doors of a host: the public one with its sign-in, and the internal one of the gateway's role."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from functions.core.declaration import Route, Scope
from infra.host.addresses import named
from infra.local.deployment import RELEASE
from infra.local.front import Auth, CognitoFront, Front, OpenFront
from infra.local.gateway import OPTIONS, HttpGateway
from infra.local.internal_web import INTERNAL_URL
from infra.local.pages import Pages
from infra.local.sign_in.clients import IDS, kept_secret
from infra.local.sign_in.provider import Provider
from infra.local.sign_in.users import kept_in
from infra.local.signatures import IamAuthorizer
from infra.release import GATEWAY, Place, function_role
from infra.topology import UNMATCHED

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pydantic import JsonValue

    from infra.local.authorization.guard import Guard
    from infra.local.identities import Identities
    from infra.local.messages import HttpRequest, HttpResponse
    from infra.topology import Topology

    Invoke = Callable[[str, dict[str, JsonValue]], JsonValue]

TOKEN_CLAIMS: Final = "token_claims"
# A browser asks before it has a token to send: this route alone lets it.
PREFLIGHT: Final = Route("preflight", OPTIONS, UNMATCHED.path, Scope.READ, "Say what pages may send", 204)


class Entrances:
    """The doors over one set of routes; `front` may be replaced by another, which then lets people in.

    `pages` are the console's; there are none until they are given.
    """

    def __init__(
        self,
        topology: Topology,
        invoke: Invoke,
        now: Callable[[], datetime],
        identities: Identities,
        place: Place,
        front: Front,
        guard: Guard,
        allowed_origins: tuple[str, ...] = (),
    ) -> None:
        self.front = front
        self.pages = Pages(None)
        routes = (*topology.routes, PREFLIGHT) if allowed_origins else topology.routes
        self._public = HttpGateway(
            routes,
            invoke,
            now,
            place.account,
            place.region,
            origins=allowed_origins,
            scope_of=self._scope_of,
        )
        self._internal = HttpGateway(named(topology.routes), invoke, now, place.account, place.region)
        self._signed = IamAuthorizer(identities, gateway_role(place), place.region, now, guard)

    def public(self, request: HttpRequest, source_ip: str) -> HttpResponse:
        """Answer a request of people, programs and agents."""
        return (
            self.front.answer(request)
            or self.pages.answer(request, self.front.origin)
            or self._public.handle(request, source_ip, self.front.authorizer)
        )

    def internal(self, request: HttpRequest, source_ip: str) -> HttpResponse:
        """Answer a request of the gateway."""
        return self._internal.handle(request, source_ip, self._signed)

    def _scope_of(self, route: Route) -> str:
        return self.front.scope_of(route)


def told_of(place: Place, connections: str, allowed_origins: tuple[str, ...]) -> dict[str, str]:
    """Give what the functions behind the doors are told of them; `connections` is where those of WebSockets are."""
    return {
        "CONNECTIONS_ENDPOINT": connections,
        "CONSOLE_CLIENT_ID": IDS.console,
        "MACHINE_CLIENT_ID": IDS.machine,
        "GATEWAY_ROLE_ARN": gateway_role(place),
        "ALLOWED_ORIGINS": " ".join(allowed_origins),
        "INTERNAL_API_URL": INTERNAL_URL,
    }


def gateway_role(place: Place) -> str:
    """Name the role that the internal door is open to."""
    return place.role_arn(function_role(GATEWAY))


def front_of(auth: Auth, directory: Path, region: str, invoke: Invoke) -> Front:
    """Make what lets people in; its users and the machine's secret are in `directory`."""
    if auth is Auth.LOCAL:
        return OpenFront(region, RELEASE)
    return CognitoFront(provider_of(directory, region, invoke), region, RELEASE)


def provider_of(directory: Path, region: str, invoke: Invoke) -> Provider:
    """Make the stand-in for Cognito, which asks the deployment's own function about each token."""
    return Provider(
        region,
        kept_in(directory),
        kept_secret(directory),
        narrow=lambda event: invoke(TOKEN_CLAIMS, event),
        # A browser counts the life of a token by its own clock, so simulated hours do not end it.
        now=lambda: datetime.now(UTC),
    )
