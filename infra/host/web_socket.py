"""The WebSocket API: messages to those who watch, at an address of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aws_cdk import RemovalPolicy
from aws_cdk import aws_apigateway as rest
from aws_cdk import aws_apigatewayv2 as apigateway
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.functions import MANAGE_CONNECTIONS
from infra.host.acknowledged import acknowledge
from infra.host.http_api import THROTTLING, AccessLog, permit
from infra.topology import PREFIX

if TYPE_CHECKING:
    from collections.abc import Mapping

    from infra.host.context import Context
    from infra.release import Place
    from infra.topology import Topology

STAGE: Final = "live"


class WebSocket(Construct):
    """The WebSocket API of TOPOLOGY's socket routes; functions that post to connections learn where.

    It has no authoriser: a browser cannot send a header with a WebSocket, so whoever connects shows a ticket, which
    the function behind `$connect` takes out of its table. `url` is for clients.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        topology: Topology,
        functions: Mapping[str, lambda_.Function],
        context: Context,
        place: Place,
    ) -> None:
        super().__init__(scope, construct_id)
        self._place = place
        api = apigateway.CfnApi(
            self,
            "Api",
            name=f"{PREFIX}sockets",
            description="HyperPod InstantStart: what changes, as it changes.",
            protocol_type="WEBSOCKET",
            route_selection_expression="$request.body.action",
        )
        self.id = api.ref
        self.host = f"{self.id}.execute-api.{place.region}.{place.url_suffix}"
        self.url = f"wss://{self.host}/{STAGE}"
        self._add_routes(topology, functions)
        self._add_stage(context)
        for function in posting(topology):
            functions[function].add_environment("CONNECTIONS_ENDPOINT", f"https://{self.host}/{STAGE}")

    def _add_routes(self, topology: Topology, functions: Mapping[str, lambda_.Function]) -> None:
        called = sorted({route.function for route in topology.socket_routes})
        targets = {name: self._target(name, functions[name]) for name in called}
        for route in topology.socket_routes:
            made = apigateway.CfnRoute(
                self,
                f"Route-{route.key.removeprefix('$')}",
                api_id=self.id,
                route_key=route.key,
                authorization_type="NONE",
                target=targets[route.function],
            )
            acknowledge(made, "APIG4", "The function behind $connect takes a ticket; no message comes without one.")

    def _target(self, name: str, function: lambda_.IFunction) -> str:
        place = self._place
        path = f"lambda:path/2015-03-31/functions/{function.function_arn}/invocations"
        integration = apigateway.CfnIntegration(
            self,
            f"Integration-{name}",
            api_id=self.id,
            integration_type="AWS_PROXY",
            integration_uri=f"arn:{place.partition}:apigateway:{place.region}:{path}",
        )
        permit(self, f"Permission-{name}", function, place, self.id)
        return f"integrations/{integration.ref}"

    def _add_stage(self, context: Context) -> None:
        log = AccessLog(self, "AccessLog", name="sockets", retention_days=context.log_retention_days)
        stage = apigateway.CfnStage(
            self,
            "Stage",
            api_id=self.id,
            stage_name=STAGE,
            auto_deploy=True,
            access_log_settings=log.of_sockets(),
            default_route_settings=THROTTLING,
        )
        stage.node.add_dependency(self._add_logging_of_the_account())

    def _add_logging_of_the_account(self) -> rest.CfnAccount:
        """Let API Gateway write logs: in a new account a WebSocket API's stage with an access log is refused.

        It is the account's one setting and others may rely on it, so it stays when the deployment goes; its role has
        no name of ours, which the next deployment would find taken.
        """
        policy = "service-role/AmazonAPIGatewayPushToCloudWatchLogs"
        role = iam.Role(
            self,
            "LoggingRole",
            assumed_by=iam.ServicePrincipal("apigateway.amazonaws.com"),
            path=self._place.role_path,
            description="API Gateway writes access logs",
            # The service checks the role for these actions on all log groups.
            managed_policies=[iam.ManagedPolicy.from_aws_managed_policy_name(policy)],
        )
        acknowledge(
            role,
            f"IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/{policy}]",
            "API Gateway checks the role for the actions of this policy on all log groups.",
        )
        account = rest.CfnAccount(self, "Account", cloud_watch_role_arn=role.role_arn)
        role.apply_removal_policy(RemovalPolicy.RETAIN)
        account.apply_removal_policy(RemovalPolicy.RETAIN)
        return account


def posting(topology: Topology) -> list[str]:
    """List the functions that post to connections."""
    return [each.name for each in topology.functions if MANAGE_CONNECTIONS in topology.actions_of(each.name)]
