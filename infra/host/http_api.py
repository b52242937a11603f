"""What the public and the internal HTTP API have in common: stage, access log, one integration a function."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from aws_cdk import RemovalPolicy
from aws_cdk import aws_apigatewayv2 as apigateway
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.release import STAGE
from infra.topology import PREFIX

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from infra.release import Place

# Requests per second: far above people and agents, far below what would cost a fortune in an hour.
THROTTLING: Final = apigateway.CfnStage.RouteSettingsProperty(throttling_rate_limit=100, throttling_burst_limit=200)
# Names, times and outcomes. Neither headers nor queries: those of a WebSocket's address hold a ticket.
_LOGGED: Final = {
    "request_id": "$context.requestId",
    "time": "$context.requestTime",
    "source_ip": "$context.identity.sourceIp",
    "route": "$context.routeKey",
    "status": "$context.status",
    "integration_error": "$context.integration.error",
}
_LOGGED_OF_HTTP: Final = {
    "method": "$context.httpMethod",
    "path": "$context.path",
    "protocol": "$context.protocol",
    "bytes": "$context.responseLength",
    "milliseconds": "$context.responseLatency",
    "authorizer_error": "$context.authorizer.error",
    "caller": "$context.authorizer.claims.sub",
    "client": "$context.authorizer.claims.client_id",
}
_LOGGED_OF_SOCKETS: Final = {
    "event": "$context.eventType",
    "connection_id": "$context.connectionId",
    "milliseconds": "$context.integrationLatency",
}


class AccessLog(Construct):
    """The log group of an API's requests, and the setting of a stage that writes them there, a JSON object each."""

    def __init__(self, scope: Construct, construct_id: str, *, name: str, retention_days: int) -> None:
        super().__init__(scope, construct_id)
        # Under this prefix, log delivery needs no statement of its own in the account's one resource policy.
        group = logs.CfnLogGroup(
            self, "Group", log_group_name=f"/aws/vendedlogs/{PREFIX}{name}-access", retention_in_days=retention_days
        )
        group.apply_removal_policy(RemovalPolicy.DESTROY)
        self._arn = group.attr_arn

    def of_http(self) -> apigateway.CfnStage.AccessLogSettingsProperty:
        """Give the setting of an HTTP API's stage."""
        return self._settings(_LOGGED_OF_HTTP)

    def of_sockets(self) -> apigateway.CfnStage.AccessLogSettingsProperty:
        """Give the setting of a WebSocket API's stage."""
        return self._settings(_LOGGED_OF_SOCKETS)

    def _settings(self, more: Mapping[str, str]) -> apigateway.CfnStage.AccessLogSettingsProperty:
        return apigateway.CfnStage.AccessLogSettingsProperty(
            destination_arn=self._arn, format=json.dumps({**_LOGGED, **more})
        )


def permit(
    scope: Construct, construct_id: str, function: lambda_.IFunction, place: Place, api_id: str
) -> lambda_.CfnPermission:
    """Let an API, whichever its route, call a function: a permission a route would outgrow the function's policy."""
    return lambda_.CfnPermission(
        scope,
        construct_id,
        action="lambda:InvokeFunction",
        function_name=function.function_arn,
        principal="apigateway.amazonaws.com",
        source_arn=place.arn("execute-api", f"{api_id}/*"),
    )


class HttpApi(Construct):
    """An HTTP API with one stage; a function gets its integration and its permission with its first route.

    `host` is its name on the network.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        name: str,
        description: str,
        functions: Mapping[str, lambda_.IFunction],
        place: Place,
        retention_days: int,
        cors: apigateway.CfnApi.CorsProperty | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        self._functions = functions
        self._place = place
        self._targets: dict[str, str] = {}
        self.api = apigateway.CfnApi(
            self,
            "Api",
            name=f"{PREFIX}{name}",
            description=description,
            protocol_type="HTTP",
            cors_configuration=cors,
        )
        self.id = self.api.ref
        self.host = f"{self.id}.execute-api.{place.region}.{place.url_suffix}"
        apigateway.CfnStage(
            self,
            "Stage",
            api_id=self.id,
            stage_name=STAGE,
            auto_deploy=True,
            access_log_settings=AccessLog(self, "AccessLog", name=name, retention_days=retention_days).of_http(),
            default_route_settings=THROTTLING,
        )

    def add_route(
        self,
        construct_id: str,
        key: str,
        function: str,
        *,
        authorization_type: str,
        authorizer_id: str | None = None,
        scopes: Sequence[str] = (),
    ) -> apigateway.CfnRoute:
        """Lead a route, by its key (`GET /api/clusters`), to a function; `scopes` are those of which one is needed."""
        return apigateway.CfnRoute(
            self,
            construct_id,
            api_id=self.id,
            route_key=key,
            target=self._target(function),
            authorization_type=authorization_type,
            authorizer_id=authorizer_id,
            authorization_scopes=[*scopes] or None,
        )

    def _target(self, function: str) -> str:
        if function not in self._targets:
            called = self._functions[function]
            integration = apigateway.CfnIntegration(
                self,
                f"Integration-{function}",
                api_id=self.id,
                integration_type="AWS_PROXY",
                integration_uri=called.function_arn,
                payload_format_version="2.0",
            )
            permit(self, f"Permission-{function}", called, self._place, self.id)
            self._targets[function] = f"integrations/{integration.ref}"
        return self._targets[function]
