"""The OpenAPI document: whole, valid, and the one that is served."""

from __future__ import annotations

import json
from typing import Any

import pytest

from functions.core.declaration import Declaration, Route, Scope
from functions.entry.domains import DECLARATIONS
from infra import openapi

DECLARED = [(declaration, route) for declaration in DECLARATIONS for route in declaration.routes]


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    written: dict[str, Any] = json.loads(openapi.TARGET.read_text(encoding="utf-8"))
    return written


def test_the_written_document_is_fresh() -> None:
    assert openapi.main(["--check"]) == 0


def test_the_document_is_written_the_same_way_every_time() -> None:
    assert openapi.text() == openapi.text()


def test_the_document_is_valid_openapi_3_1(document: dict[str, Any]) -> None:
    validator = pytest.importorskip("openapi_spec_validator", reason="comes with the test lock")
    assert document["openapi"].startswith("3.1")
    validator.validate(document)


@pytest.mark.parametrize(("declaration", "route"), DECLARED, ids=[route.operation_id for _, route in DECLARED])
def test_every_declared_route_is_described(document: dict[str, Any], declaration: Declaration, route: Route) -> None:
    operation = document["paths"][route.path][route.method.lower()]
    assert (operation["operationId"], operation["summary"]) == (route.operation_id, route.summary)
    assert operation["tags"] == [declaration.domain]
    assert operation["security"] == [{"token": [f"instantstart/{route.scope}"]}]
    previewed = {"200"} if route.success == 202 else set()
    assert set(operation["responses"]) == {str(route.success), *previewed, *openapi.PROBLEMS}


@pytest.mark.parametrize(
    "route", [route for _, route in DECLARED if route.method != "GET"], ids=lambda r: r.operation_id
)
def test_every_change_can_be_previewed(document: dict[str, Any], route: Route) -> None:
    operation = document["paths"][route.path][route.method.lower()]
    # What belongs to the caller alone changes nothing that anybody else sees.
    own = route.scope is Scope.READ
    assert ("dry_run" in [parameter["name"] for parameter in operation.get("parameters", [])]) is not own


def test_nothing_is_described_that_is_not_declared(document: dict[str, Any]) -> None:
    described = {(path, method) for path, operations in document["paths"].items() for method in operations}
    assert described == {(route.path, route.method.lower()) for _, route in DECLARED}


def test_a_begun_operation_says_where_it_is_read(document: dict[str, Any]) -> None:
    accepted = document["paths"]["/api/clusters"]["post"]["responses"]["202"]
    assert set(accepted["headers"]) == {"Location", "Retry-After"}
    assert accepted["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Operation"}


def test_limits_of_the_models_are_limits_of_the_document(document: dict[str, Any]) -> None:
    group = document["components"]["schemas"]["InstanceGroup"]["properties"]
    assert (group["instance_count"]["minimum"], group["instance_count"]["maximum"]) == (0, 6758)
    assert group["name"]["maxLength"] == 63
    assert group["capacity_type"]["anyOf"][0]["enum"] == ["on_demand", "spot", "training_plan"]


def test_a_kubeconfig_is_promised_as_yaml(document: dict[str, Any]) -> None:
    read = document["paths"]["/api/clusters/{tag}/kubeconfig"]["get"]["responses"]["200"]
    assert read["content"] == {"application/yaml": {"schema": {"type": "string"}}}
