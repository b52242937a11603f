"""What request to the API a tool call becomes, and which arguments cannot become one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

import pytest

from functions.core.errors import InvalidRequest
from mcp_gateway.paging import Position
from mcp_gateway.requests import ApiRequest, request_of
from mcp_gateway.tools import all_tools

if TYPE_CHECKING:
    from pydantic import JsonValue


def made(name: str, **arguments: JsonValue) -> ApiRequest:
    return request_of(all_tools()[name], arguments)


def query(request: ApiRequest) -> list[tuple[str, str]]:
    return parse_qsl(urlsplit(request.path).query)


def test_each_argument_goes_where_the_route_has_it() -> None:
    request = made(
        "hyperpod_cluster_create",
        tag="t1",
        availability_zone="us-west-2a",
        instance_groups=[{"name": "gpu"}],
        dry_run=True,
        idempotency_key="k1",
    )
    assert (request.method, urlsplit(request.path).path) == ("POST", "/api/clusters/t1/hyperpod")
    assert query(request) == [("dry_run", "true")]
    assert request.headers == {"content-type": "application/json", "idempotency-key": "k1"}
    assert json.loads(request.body) == {"availability_zone": "us-west-2a", "instance_groups": [{"name": "gpu"}]}


def test_what_was_not_sent_is_not_sent_on_and_null_is_what_a_body_may_say() -> None:
    assert json.loads(made("cluster_create", storage=None).body) == {"storage": None}
    assert query(made("operation_list", cluster_tag=None)) == [("limit", "20")]


def test_a_list_is_sent_value_by_value() -> None:
    request = made("cluster_delete", tag="t1", retain_resources=["A", "B"], confirm="d")
    assert query(request) == [("retain_resources", "A"), ("retain_resources", "B"), ("confirm", "d")]


def test_a_tool_sends_what_is_its_own_to_decide() -> None:
    assert query(made("operation_wait", operation_id="01")) == [("wait", "20")]
    assert query(made("operation_get", operation_id="01")) == [("wait", "0")]
    with pytest.raises(InvalidRequest):
        made("operation_wait", operation_id="01", wait=900)


def test_names_are_sent_as_they_are_and_lead_nowhere_else() -> None:
    assert made("cluster_get", tag="a b?c#d%e").path == "/api/clusters/a%20b%3Fc%23d%25e"
    for tag in ("../operations", "a/b", "..", "a\nb", ""):
        with pytest.raises(InvalidRequest) as refused:
            made("cluster_get", tag=tag)
        assert [each.field for each in refused.value.errors] == ["tag"]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "tag"),
        ({"tag": "t1", "tagg": 1}, "tagg"),
        ({"tag": {"a": 1}}, "tag"),
        ({"tag": ["t1"]}, "tag"),
        ({"tag": "t1", "idempotency_key": "a\r\nx: y"}, "idempotency_key"),
        ({"tag": "t1", "idempotency_key": "schlüssel"}, "idempotency_key"),
        ({"tag": "t1", "dry_run": {"yes": 1}}, "dry_run"),
        ({"tag": "t1", "dry_run": None}, "dry_run"),
        ({"tag": "t1", "dry_run": []}, "dry_run"),
        ({"tag": "t1", "confirm": ["d"]}, "confirm"),
    ],
)
def test_arguments_that_no_request_can_carry_are_named(arguments: dict[str, JsonValue], field: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        made("drift_detect", **arguments)
    (error,) = refused.value.errors
    assert error.field == field
    assert "no argument" not in error.message or "dry_run" in (error.allowed or [])


def test_a_token_of_ours_is_the_apis_with_the_rows_that_were_given() -> None:
    request = made("operation_list", next_token="7~abc.def")
    assert dict(query(request))["next_token"] == "abc.def"
    assert request.position == Position("abc.def", 7)
    assert request.position.after(5) == "12~abc.def"
    assert made("quota_list", next_token="7~").position == Position(None, 7)
    assert "next_token" not in made("quota_list", next_token="7~").path
    with pytest.raises(InvalidRequest):
        made("quota_list", next_token="7~~")
