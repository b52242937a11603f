"""The Lambda function behind the catalog's routes: it reads what can be had, and changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.catalog import routes as catalog
from functions.core import application, catalogue
from functions.entry.domains import DECLARATIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aws_lambda_powertools.utilities.typing import LambdaContext
    from pydantic import JsonValue

catalogue.install(DECLARATIONS)
HANDLERS = dict(vars(catalog))
APPLICATION = application.build(DECLARATIONS, HANDLERS, "catalog")


def handler(event: Mapping[str, JsonValue], context: LambdaContext) -> dict[str, JsonValue]:
    """Answer one HTTP API event."""
    return APPLICATION.handle(event, context)
