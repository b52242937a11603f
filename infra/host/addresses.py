"""Where a deployment is reached, and what it publishes about that: three documents, each as plain data.

The identity provider's own metadata lacks `code_challenge_methods_supported`, without which MCP clients refuse to sign
in. So the deployment is the authorization server that its resource names, and its document leads to the provider's
endpoints.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from functions.core.caller import SCOPE_PREFIX
from functions.core.declaration import Scope
from infra.topology import MCP_PATH, UNMATCHED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import JsonValue

    from functions.core.declaration import Route

# RFC 9728 puts the resource's path behind the well-known one; some clients ask for the one without.
PROTECTED_RESOURCE: Final = "/.well-known/oauth-protected-resource"
PROTECTED_RESOURCE_PATHS: Final = (PROTECTED_RESOURCE, f"{PROTECTED_RESOURCE}{MCP_PATH}")
AUTHORIZATION_SERVER_PATH: Final = "/.well-known/oauth-authorization-server"
CONSOLE_CONFIG_PATH: Final = "/config.json"
# Cognito compares callbacks with its list to the letter, so native clients cannot choose a port as they like.
AGENT_CALLBACK_PORT: Final = 38099
AGENT_CALLBACK: Final = f"http://localhost:{AGENT_CALLBACK_PORT}/callback"


@dataclass(frozen=True)
class SignInAddresses:
    """Who issues tokens and where people sign in; `host` serves the endpoints of OAuth, on one machine without TLS."""

    issuer: str
    host: str
    scheme: str = "https"

    @property
    def keys(self) -> str:
        """Say where the keys are with which tokens are signed."""
        return f"{self.issuer}/.well-known/jwks.json"

    def endpoint(self, name: str) -> str:
        """Say where an endpoint of OAuth is."""
        return self.page(f"oauth2/{name}")

    def page(self, path: str) -> str:
        """Say where something of the sign-in is."""
        return f"{self.scheme}://{self.host}/{path}"


@dataclass(frozen=True)
class Clients:
    """The ids of the registered clients: people's console, people's agents, machines such as CI."""

    console: str
    agent: str
    machine: str

    @property
    def of_the_api(self) -> tuple[str, ...]:
        """List those whose tokens open the routes under /api; agents' tokens are for /mcp only."""
        return (self.console, self.machine)


def mcp_url(origin: str) -> str:
    """Say where agents connect; the same text is the audience of their tokens."""
    return f"{origin}{MCP_PATH}"


def is_of_mcp(path: str) -> bool:
    """Say whether a path is that of the resource at /mcp, whose tokens are others."""
    return path == MCP_PATH or path.startswith(f"{MCP_PATH}/")


def scope_of(origin: str, route: Route) -> str:
    """Name the scope that a token needs for a route."""
    return mcp_scope(origin, route.scope) if is_of_mcp(route.path) else f"{SCOPE_PREFIX}{route.scope}"


def named(routes: Sequence[Route]) -> list[Route]:
    """List the routes that a door without scopes has to tell apart, and the one for all the rest."""
    return [*(route for route in routes if route.function != UNMATCHED.function), UNMATCHED]


def api_scopes() -> list[str]:
    """Name the scopes of the routes under /api."""
    return [f"{SCOPE_PREFIX}{scope}" for scope in Scope]


def mcp_scope(origin: str, scope: Scope) -> str:
    """Name a scope of the resource at /mcp."""
    return f"{mcp_url(origin)}/{scope}"


def mcp_scopes(origin: str) -> list[str]:
    """Name the scopes of the resource at /mcp."""
    return [mcp_scope(origin, scope) for scope in Scope]


def protected_resource(origin: str) -> dict[str, JsonValue]:
    """Describe the resource at /mcp (RFC 9728)."""
    return {
        "resource": mcp_url(origin),
        "authorization_servers": [origin],
        "scopes_supported": [*mcp_scopes(origin)],
        "bearer_methods_supported": ["header"],
        "resource_name": "HyperPod InstantStart",
    }


def authorization_server(origin: str, sign_in: SignInAddresses) -> dict[str, JsonValue]:
    """Describe the authorization server (RFC 8414): ours by name, the identity provider's by its endpoints."""
    return {
        "issuer": origin,
        "authorization_endpoint": sign_in.endpoint("authorize"),
        "token_endpoint": sign_in.endpoint("token"),
        "revocation_endpoint": sign_in.endpoint("revoke"),
        "jwks_uri": sign_in.keys,
        "scopes_supported": [*mcp_scopes(origin)],
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
    }


def console_config(
    origin: str,
    sign_in: SignInAddresses | None,
    clients: Clients | None,
    *,
    websocket_url: str,
    region: str,
    release: str,
    signed_mcp_url: str | None = None,
) -> dict[str, JsonValue]:
    """Tell the console what it cannot know when it is built.

    The WebSocket has a host of its own, and so have agents whose requests are signed with a role (`signed_mcp_url`).
    Without a sign-in, which is for one machine only, both parts about it are null.
    """
    return {
        "api_url": f"{origin}/api",
        "websocket_url": websocket_url,
        "mcp_url": mcp_url(origin),
        "signed_mcp_url": signed_mcp_url,
        "region": region,
        "release": release,
        "sign_in": _of_console(origin, sign_in, clients) if sign_in and clients else None,
        "agent": {"client_id": clients.agent, "callback_port": AGENT_CALLBACK_PORT} if clients else None,
    }


def _of_console(origin: str, sign_in: SignInAddresses, clients: Clients) -> dict[str, JsonValue]:
    return {
        "issuer": sign_in.issuer,
        "authorization_endpoint": sign_in.endpoint("authorize"),
        "token_endpoint": sign_in.endpoint("token"),
        "logout_url": sign_in.page("logout"),
        "client_id": clients.console,
        "callback_url": f"{origin}/",
        "scopes": ["openid", *api_scopes()],
    }
