"""The door for people, programs and agents: each route asks for a token, and for the scope that it declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk import aws_apigatewayv2 as apigateway
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.host.acknowledged import acknowledge
from infra.host.addresses import is_of_mcp, mcp_url, scope_of
from infra.host.cors import CORS_METHODS, CORS_REQUEST_HEADERS, CORS_RESPONSE_HEADERS
from infra.host.http_api import HttpApi
from infra.topology import UNMATCHED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from functions.core.declaration import Route
    from infra.host.context import Context
    from infra.release import Place


class PublicApi(Construct):
    """The HTTP API of TOPOLOGY's routes. `host` is its name on the network, known before its routes are.

    Two authorisers, because a token's audience is checked before its client: the routes under /api take tokens of
    registered clients, those under /mcp only tokens that were asked for /mcp. A function and a route of the topology
    are all that it takes for something to answer there.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        functions: Mapping[str, lambda_.IFunction],
        context: Context,
        place: Place,
    ) -> None:
        super().__init__(scope, construct_id)
        self._origins = context.allowed_origins
        self._http = HttpApi(
            self,
            "Http",
            name="api",
            description="HyperPod InstantStart: the console's, programs' and agents' door.",
            functions=functions,
            place=place,
            retention_days=context.log_retention_days,
            cors=_cors(self._origins),
        )
        self.id = self._http.id
        self.host = self._http.host

    def open(self, routes: Sequence[Route], *, issuer: str, clients: Sequence[str], origin: str) -> None:
        """Add the routes; `clients` are the ids of those whose tokens open /api, `origin` is where people find us."""
        of_clients = self._add_authorizer("ApiTokens", issuer, clients)
        of_agents = self._add_authorizer("McpTokens", issuer, [mcp_url(origin)])
        for route in routes:
            self._http.add_route(
                f"Route-{route.operation_id}",
                f"{route.method} {route.path}",
                route.function,
                authorization_type="JWT",
                authorizer_id=(of_agents if is_of_mcp(route.path) else of_clients).ref,
                scopes=[scope_of(origin, route)],
            )
        if self._origins:
            self._add_preflight()

    def _add_authorizer(self, construct_id: str, issuer: str, audience: Sequence[str]) -> apigateway.CfnAuthorizer:
        return apigateway.CfnAuthorizer(
            self,
            construct_id,
            api_id=self.id,
            name=construct_id,
            authorizer_type="JWT",
            identity_source=["$request.header.Authorization"],
            jwt_configuration=apigateway.CfnAuthorizer.JWTConfigurationProperty(issuer=issuer, audience=[*audience]),
        )

    def _add_preflight(self) -> None:
        """Let OPTIONS in without a token: the route for all that nothing else matches would ask for one."""
        key = f"OPTIONS {UNMATCHED.path}"
        made = self._http.add_route("Route-preflight", key, UNMATCHED.function, authorization_type="NONE")
        acknowledge(made, "APIG4", "A browser asks OPTIONS without a token, and the gateway answers allowed origins.")


def _cors(origins: Sequence[str]) -> apigateway.CfnApi.CorsProperty | None:
    if not origins:
        return None
    return apigateway.CfnApi.CorsProperty(
        allow_origins=[*origins],
        allow_methods=[*CORS_METHODS],
        allow_headers=[*CORS_REQUEST_HEADERS],
        expose_headers=[*CORS_RESPONSE_HEADERS],
    )
