"""The Lambda function behind both HTTP doors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from functions.catalog import routes as catalog
from functions.clusters import routes as clusters
from functions.clusters.events.routes import listing as cluster_events
from functions.clusters.listing import routes as cluster_listing
from functions.clusters.settings import routes as cluster_settings
from functions.connections.routes import tickets
from functions.core import application, catalogue
from functions.entry.domains import DECLARATIONS
from functions.network import routes as network
from functions.operations import routes as operations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aws_lambda_powertools.utilities.typing import LambdaContext

catalogue.install(DECLARATIONS)
_ROUTES = (clusters, cluster_events, cluster_listing, cluster_settings, operations, network, tickets, catalog)
_HANDLERS = {name: value for module in _ROUTES for name, value in vars(module).items()}
APPLICATION = application.build(DECLARATIONS, _HANDLERS)


def handler(event: Mapping[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer one HTTP API event."""
    return APPLICATION.handle(event, context)
