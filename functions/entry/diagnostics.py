"""The Lambda function behind the diagnosis of clusters: its role reads, and can do nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.core import application, catalogue
from functions.diagnostics import routes as diagnostics
from functions.entry.domains import DECLARATIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aws_lambda_powertools.utilities.typing import LambdaContext
    from pydantic import JsonValue

catalogue.install(DECLARATIONS)
HANDLERS = dict(vars(diagnostics))
APPLICATION = application.build(DECLARATIONS, HANDLERS, "diagnostics")


def handler(event: Mapping[str, JsonValue], context: LambdaContext) -> dict[str, JsonValue]:
    """Answer one HTTP API event."""
    return APPLICATION.handle(event, context)
