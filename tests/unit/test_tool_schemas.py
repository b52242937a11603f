"""What tools say of their answers, held to the answers themselves: strict clients refuse one that differs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from functions.capacity.models.groups import InstanceGroup, Lifecycle, Taint, Volume
from functions.clusters.importing.models.requests import ImportCluster, RedetectCluster
from functions.clusters.models import CreateCluster, Foundation, HyperPod
from functions.clusters.settings.models import UpdateCluster
from functions.clusters.upgrades.models import Rollout, UpgradeCluster
from functions.core.errors import InvalidRequest
from functions.core.requests import Wire
from functions.core.web import WebAnswer
from functions.entry.domains import DECLARATIONS
from functions.identity.people.models import GrantAccess
from infra import openapi
from infra.tool_schemas import expanded
from mcp_gateway.answers import result_of
from mcp_gateway.requests import request_of
from mcp_gateway.tools import GatewayTool, Place, all_tools

SAMPLES: Final[dict[str, Any]] = {"string": "text", "integer": 1, "object": {"a": 1}, "array": ["text"]}
LISTS: Final[dict[str, Any]] = {
    "phases": [{"name": "storage", "status": "RUNNING"}],
    "stages": [{"name": "mount", "status": "RUNNING"}, {"name": "verify", "status": "PENDING"}],
}


@cache
def document() -> dict[str, Any]:
    """The API's description, which takes a while to be made."""
    return openapi.document()


def an_operation() -> dict[str, Any]:
    """An operation with something in every member that the API knows."""
    members = expanded(document()["components"]["schemas"]["Operation"], document())["properties"]
    return {name: SAMPLES[each["type"]] for name, each in members.items()} | LISTS


@pytest.mark.parametrize("name", ["operation_get", "operation_wait"])
def test_an_operation_is_told_as_its_tool_describes_it_and_with_nothing_left_out(name: str) -> None:
    tool = all_tools()[name]
    answer = WebAnswer(200, {"content-type": "application/json"}, json.dumps(an_operation()).encode())
    arguments = {"operation_id": "01"}
    told = result_of(tool, arguments, request_of(tool, arguments), answer).structured_content or {}
    Draft202012Validator(tool.output_schema).validate(told)
    assert told.keys() - {"next"} == tool.output_schema["properties"].keys()  # type: ignore[union-attr]  # JSON


# -- null

GROUP: Final = {"name": "a", "instance_type": "ml.g5.xlarge", "instance_count": 1}
HYPERPOD: Final = {"availability_zone": "us-west-2a", "instance_groups": [GROUP]}
# Every request in which something may be null, with all that it needs.
REQUESTS: Final[Mapping[type[Wire], Mapping[str, Any]]] = {
    CreateCluster: {"hyperpod": HYPERPOD},
    Foundation: {},
    GrantAccess: {"principal_arn": "arn:aws:iam::123456789012:role/ann", "permission": "view"},
    HyperPod: HYPERPOD,
    ImportCluster: {"eks_cluster_name": "eks-a"},
    InstanceGroup: GROUP,
    Lifecycle: {"source_uri": "s3://sagemaker-a/b", "on_create": "on_create.sh"},
    RedetectCluster: {},
    Rollout: {"batch_size": 1},
    Taint: {"key": "a", "effect": "NoSchedule"},
    UpdateCluster: {"owner_groups": [], "company_tags": {}},
    UpgradeCluster: {},
    Volume: {"size_gib": 100},
}


def nullable(schema: Mapping[str, Any]) -> list[str]:
    """Name the members that may be null."""
    return [name for name, each in schema.get("properties", {}).items() if {"type": "null"} in each.get("anyOf", ())]


def parsed(model: type[Wire], sent: Mapping[str, Any]) -> object:
    try:
        return model.model_validate(sent).model_dump()
    except ValidationError as refused:
        return [(error["type"], error["msg"]) for error in refused.errors()]


def nulls_that_say_something() -> Iterator[tuple[str, str]]:
    for model, whole in REQUESTS.items():
        for name in nullable(document()["components"]["schemas"][model.__name__]):
            sent = {key: value for key, value in whole.items() if key != name}
            if parsed(model, sent) != parsed(model, {**sent, name: None}):
                yield model.__name__, name


def test_null_says_the_same_as_nothing_but_where_its_tool_says_otherwise() -> None:
    schemas = document()["components"]["schemas"]
    requests = {each.__name__ for each in every(Wire)}
    assert {name for name, each in schemas.items() if name in requests and nullable(each)} == {
        each.__name__ for each in REQUESTS
    }
    declared = {(tool.name, name) for each in DECLARATIONS for tool in each.tools for name in tool.null_says}
    assert declared == {("cluster_create", "storage")}
    assert [*nulls_that_say_something()] == [("CreateCluster", "storage")]


def every(model: type[Wire]) -> Iterator[type[Wire]]:
    for each in model.__subclasses__():
        yield each
        yield from every(each)


def kinds_in(schema: object) -> Iterator[object]:
    """Walk through all types in a schema, wherever they stand."""
    if isinstance(schema, dict):
        if not isinstance(schema.get("type"), dict):  # else it is a member of that name
            yield schema.get("type")
        yield from (kind for each in schema.values() for kind in kinds_in(each))
    elif isinstance(schema, list):
        yield from (kind for each in schema for kind in kinds_in(each))


@pytest.mark.parametrize("tool", [*all_tools().values()], ids=lambda tool: tool.name)
def test_strict_clients_find_one_type_a_member_and_null_only_where_it_says_something(tool: GatewayTool) -> None:
    for schema in (tool.input_schema, tool.output_schema):
        assert not [kind for kind in kinds_in(schema) if isinstance(kind, list)]
    members = tool.input_schema["properties"]
    assert isinstance(members, dict)
    null = [name for name, each in members.items() if "null" in [*kinds_in(each)]]
    assert null == (["storage"] if tool.name == "cluster_create" else [])


def test_null_is_taken_for_nothing_in_a_query_but_for_a_yes_or_no_that_would_be_lost() -> None:
    for tool in all_tools().values():
        route = document()["paths"][tool.path][tool.method.lower()]
        for parameter in route.get("parameters", ()):
            name, schema = parameter["name"], parameter["schema"]
            if tool.places.get(name) is not Place.QUERY or name in ("next_token", "limit"):
                continue
            others = {each: "x" for each, place in tool.places.items() if place is Place.PATH}
            if schema.get("type") == "boolean":
                with pytest.raises(InvalidRequest, match=name):
                    request_of(tool, {**others, name: None})
            else:
                assert f"{name}=" not in request_of(tool, {**others, name: None}).path
