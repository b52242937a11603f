"""The door signed with IAM: the gateway comes through it for its callers, and agents that have roles come to it.

Nobody is let in here by the door itself. The gateway's role has a policy that names this API and the routes under /api:
its word on who the caller is counts. An agent's role needs the policy of `infra/privilege/agents.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from constructs import Construct

from infra.host.addresses import named
from infra.host.http_api import HttpApi
from infra.topology import MCP_PATH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aws_cdk import aws_lambda as lambda_

    from functions.core.declaration import Route
    from infra.host.context import Context
    from infra.release import Place

# What the template calls the API: roles name it before there is anything that it could lead to.
INTERNAL_API: Final = "InternalApi"


class InternalApi(Construct):
    """The HTTP API without tokens; `url` is its address.

    IAM knows no scopes of routes, so only those are named that the function for all the rest does not answer.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        routes: Sequence[Route],
        functions: Mapping[str, lambda_.IFunction],
        context: Context,
        place: Place,
    ) -> None:
        super().__init__(scope, construct_id)
        http = HttpApi(
            self,
            "Http",
            name="internal",
            description="HyperPod InstantStart: the door of roles.",
            functions=functions,
            place=place,
            retention_days=context.log_retention_days,
        )
        http.api.override_logical_id(INTERNAL_API)
        for route in named(routes):
            key = f"{route.method} {route.path}"
            http.add_route(f"Route-{route.operation_id}", key, route.function, authorization_type="AWS_IAM")
        self.id = http.id
        self.url = f"https://{http.host}"
        self.mcp_url = f"{self.url}{MCP_PATH}"
