"""The Lambda function behind the routes that look into clusters: no other that answers people knows the way in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.clusters.deletion.routes import deleting
from functions.clusters.importing.routes import testing
from functions.core import application, catalogue
from functions.entry.domains import DECLARATIONS
from functions.identity.namespaces.routes import changing, listing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aws_lambda_powertools.utilities.typing import LambdaContext
    from pydantic import JsonValue

catalogue.install(DECLARATIONS)
_ROUTES = (changing, deleting, listing, testing)
HANDLERS = {name: value for module in _ROUTES for name, value in vars(module).items()}
APPLICATION = application.build(DECLARATIONS, HANDLERS, "kubernetes")


def handler(event: Mapping[str, JsonValue], context: LambdaContext) -> dict[str, JsonValue]:
    """Answer one HTTP API event."""
    return APPLICATION.handle(event, context)
