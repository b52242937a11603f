"""Everything between the functions and those who call them: doors, sign-in, the one address, what it publishes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from aws_cdk import CfnOutput
from constructs import Construct

from infra.host.addresses import (
    AUTHORIZATION_SERVER_PATH,
    CONSOLE_CONFIG_PATH,
    PROTECTED_RESOURCE_PATHS,
    authorization_server,
    console_config,
    mcp_url,
    protected_resource,
)
from infra.host.console import Console
from infra.host.files import FOR_MINUTES, Document, Files
from infra.host.internal_api import InternalApi
from infra.host.public_api import PublicApi
from infra.host.sign_in import TOKEN_CLAIMS, SignIn, sign_in_host
from infra.host.web_socket import WebSocket
from infra.release import GATEWAY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aws_cdk import aws_lambda as lambda_

    from infra.host.context import Context
    from infra.release import Place, Release
    from infra.topology import Topology


class Edge(Construct):
    """The doors of a deployment. Functions learn from it what it alone knows.

    That is the address of the connections, for those that post to them, and who the console and machines are, for those
    that answer routes.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        topology: Topology,
        functions: Mapping[str, lambda_.Function],
        answering: Mapping[str, lambda_.IFunction],
        context: Context,
        place: Place,
        release: Release,
        files: Files,
    ) -> None:
        super().__init__(scope, construct_id)
        self._topology = topology
        self._context = context
        self.web_socket = WebSocket(
            self, "WebSocket", topology=topology, functions=functions, context=context, place=place
        )
        self.public_api = PublicApi(self, "PublicApi", functions=answering, context=context, place=place)
        self.internal_api = InternalApi(
            self, "InternalApi", routes=topology.routes, functions=answering, context=context, place=place
        )
        self.console = Console(
            self,
            "Console",
            api_host=self.public_api.host,
            connects_to=[f"https://{sign_in_host(context, place)}", f"wss://{self.web_socket.host}"],
            context=context,
            place=place,
        )
        self.sign_in = SignIn(
            self,
            "SignIn",
            origin=self.console.origin,
            functions=functions,
            context=context,
            place=place,
            identity_providers=context.identity_providers,
        )
        self._open()
        self._tell(functions)
        self._publish(files, place, release)
        self._add_outputs()

    def _open(self) -> None:
        self.public_api.open(
            self._topology.routes,
            issuer=self.sign_in.addresses.issuer,
            clients=self.sign_in.clients.of_the_api,
            origin=self.console.origin,
        )

    def _tell(self, functions: Mapping[str, lambda_.Function]) -> None:
        for name in sorted({route.function for route in self._topology.routes}):
            functions[name].add_environment("CONSOLE_CLIENT_ID", self.sign_in.clients.console)
            functions[name].add_environment("MACHINE_CLIENT_ID", self.sign_in.clients.machine)
            if origins := self._context.allowed_origins:
                functions[name].add_environment("ALLOWED_ORIGINS", " ".join(origins))
        functions[GATEWAY].add_environment("INTERNAL_API_URL", self.internal_api.url)
        functions[GATEWAY].add_environment("AGENT_ROLES", json.dumps(self._context.agent_roles))
        # Only what nobody calls over HTTP may know it: the console's address follows from the API that calls the rest.
        for name in ("notifications", TOKEN_CLAIMS):
            functions[name].add_environment("CONSOLE_URL", self.console.origin)

    def _publish(self, files: Files, place: Place, release: Release) -> None:
        origin, addresses = self.console.origin, self.sign_in.addresses
        config = console_config(
            origin,
            addresses,
            self.sign_in.clients,
            websocket_url=self.web_socket.url,
            region=place.region,
            release=release.name,
            signed_mcp_url=self.internal_api.mcp_url,
        )
        server = authorization_server(origin, addresses)
        resource = protected_resource(origin)
        documents = [
            Document(CONSOLE_CONFIG_PATH.lstrip("/"), config),
            Document(AUTHORIZATION_SERVER_PATH.lstrip("/"), server, FOR_MINUTES),
            *(Document(path.lstrip("/"), resource, FOR_MINUTES) for path in PROTECTED_RESOURCE_PATHS),
        ]
        self.console.publish(files, documents)

    def _add_outputs(self) -> None:
        told = {
            "ConsoleUrl": (self.console.origin, "The console"),
            "ApiUrl": (f"{self.console.origin}/api", "The REST API"),
            "McpUrl": (mcp_url(self.console.origin), "Where agents connect"),
            "McpRoleUrl": (self.internal_api.mcp_url, "Where agents connect that sign with a role instead of a token"),
            "AgentClientId": (self.sign_in.clients.agent, "The client id that agents sign in with"),
            "MachineClientId": (self.sign_in.clients.machine, "The client id of programs; Cognito shows its secret"),
            "UserPoolId": (self.sign_in.pool_id, "The user pool, to add users and groups to"),
            "ConsoleHost": (self.console.distribution.distribution_domain_name, "What a domain of your own points to"),
        }
        if self.sign_in.needs is not None:
            told["ExistingUserPoolNeeds"] = (self.sign_in.needs, "What the existing user pool has to be")
        for name, (value, description) in told.items():
            # Its name is for people to read.
            CfnOutput(self, name, value=value, description=description).override_logical_id(name)
