"""Writes the OpenAPI 3.1 document of all declared routes: `python -m infra.openapi [--check]`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from aws_lambda_powertools.event_handler.openapi.models import HTTPBearer

from functions.core import application
from functions.core.application import SECURITY_SCHEME
from functions.core.errors import ProblemBody
from functions.core.http import JSON
from functions.core.ledger.models import Operation
from functions.core.previews import Previewed
from functions.core.problems import PROBLEM_JSON
from functions.entry import api, catalog, diagnostics, kubernetes
from functions.entry.domains import DECLARATIONS
from infra import generated

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from functions.core.declaration import Route

TARGET: Final = Path(__file__).parents[1] / "functions" / "core" / "data" / "openapi.json"
REFERENCE: Final = "#/components/schemas/{model}"
PROBLEMS: Final = {
    "400": "A field is malformed, unknown or impossible.",
    "401": "The request carries no verified caller.",
    "403": "The caller's token lacks the route's scope.",
    "404": "What the path names does not exist.",
    "409": "The state of the resource refuses the request.",
    "422": "The idempotency key was used with another request.",
    "429": "Too many requests.",
    "500": "A fault of the deployment.",
    "503": "A dependency did not answer in time.",
}
# Powertools' own error bodies, which no route answers with.
_UNUSED: Final = ("HTTPValidationError", "ValidationError", "ResponseValidationError")


def document() -> dict[str, Any]:
    """Make the document."""
    scheme = HTTPBearer(bearerFormat="JWT", description="An access token of the deployment's user pool.")
    made: dict[str, Any] = json.loads(
        application.build(
            DECLARATIONS, {**api.HANDLERS, **catalog.HANDLERS, **diagnostics.HANDLERS, **kubernetes.HANDLERS}
        ).get_openapi_json_schema(
            title="HyperPod InstantStart Serverless",
            version="1",
            description="Creates and runs Amazon EKS and SageMaker HyperPod clusters. Long work is an operation.",
            security_schemes={SECURITY_SCHEME: scheme},
        )
    )
    schemas = made["components"]["schemas"]
    for name in _UNUSED:
        schemas.pop(name, None)
    schemas.update(_problem_schemas())
    made["components"]["responses"] = {status: _problem(text) for status, text in PROBLEMS.items()}
    for route, operation in _operations(made):
        operation["responses"] = _responses(route, operation["responses"])
    return made


def text() -> str:
    """Write the document the same way every time."""
    return json.dumps(document(), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _operations(made: dict[str, Any]) -> Iterator[tuple[Route, dict[str, Any]]]:
    for declaration in DECLARATIONS:
        for route in declaration.routes:
            yield route, made["paths"][route.path][route.method.lower()]


def _responses(route: Route, generated: dict[str, Any]) -> dict[str, Any]:
    success = generated[str(route.success)]
    if route.media != JSON:
        success["content"] = {route.media: {"schema": {"type": "string"}}}
    if route.success == 202:
        success["content"]["application/json"]["schema"] = {"$ref": REFERENCE.format(model=Operation.__name__)}
        success["description"] = "The operation that was begun."
        success["headers"] = {
            "Location": {"description": "Where the operation is read.", "schema": {"type": "string"}},
            "Retry-After": {"description": "Seconds until it is worth looking.", "schema": {"type": "integer"}},
        }
    previewed = {"200": _preview()} if route.success == 202 else {}
    problems = {status: {"$ref": f"#/components/responses/{status}"} for status in PROBLEMS}
    return {str(route.success): success, **previewed, **problems}


def _preview() -> dict[str, Any]:
    schema = {"$ref": REFERENCE.format(model=Previewed.__name__)}
    return {"description": "With dry_run: nothing was changed.", "content": {"application/json": {"schema": schema}}}


def _problem(description: str) -> dict[str, Any]:
    schema = {"$ref": REFERENCE.format(model=ProblemBody.__name__)}
    return {"description": description, "content": {PROBLEM_JSON: {"schema": schema}}}


def _problem_schemas() -> dict[str, Any]:
    schema = ProblemBody.model_json_schema(mode="serialization", ref_template=REFERENCE)
    inner: dict[str, Any] = schema.pop("$defs")
    return {**inner, ProblemBody.__name__: schema}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the document, or say whether the written one is stale."""
    return generated.main("openapi", lambda: {TARGET: text()}, __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
