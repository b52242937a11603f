"""The Lambda function behind both HTTP doors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.audit.routes import listing as audit
from functions.clusters import routes as clusters
from functions.clusters.drift import routes as cluster_drift
from functions.clusters.events.routes import listing as cluster_events
from functions.clusters.importing.routes import changing as importing
from functions.clusters.listing import routes as cluster_listing
from functions.clusters.settings import routes as cluster_settings
from functions.clusters.upgrades import routes as cluster_upgrades
from functions.connections.routes import tickets
from functions.core import application, catalogue
from functions.entry.domains import DECLARATIONS
from functions.identity.people import routes as people
from functions.network import routes as network
from functions.operations import routes as operations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aws_lambda_powertools.utilities.typing import LambdaContext
    from pydantic import JsonValue

catalogue.install(DECLARATIONS)
_ROUTES = (
    audit,
    cluster_drift,
    cluster_events,
    cluster_listing,
    cluster_settings,
    cluster_upgrades,
    clusters,
    importing,
    network,
    operations,
    people,
    tickets,
)
HANDLERS = {name: value for module in _ROUTES for name, value in vars(module).items()}
APPLICATION = application.build(DECLARATIONS, HANDLERS, "api")


def handler(event: Mapping[str, JsonValue], context: LambdaContext) -> dict[str, JsonValue]:
    """Answer one HTTP API event."""
    return APPLICATION.handle(event, context)
