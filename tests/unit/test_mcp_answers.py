"""What an agent gets to read: small, with the next call in it, and nothing lost on the way."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from mcp_types import CallToolResult, TextContent

from functions.core.web import WebAnswer
from mcp_gateway.answers import result_of
from mcp_gateway.compact import LARGEST_ANSWER, cut_members, size_of
from mcp_gateway.requests import request_of
from mcp_gateway.tools import all_tools

if TYPE_CHECKING:
    from pydantic import JsonValue

JSON = {"content-type": "application/json"}


def told(tool_name: str, body: object, answer_status: int = 200, **arguments: JsonValue) -> dict[str, Any]:
    result = answered(tool_name, WebAnswer(answer_status, JSON, json.dumps(body).encode()), **arguments)
    assert result.is_error == (answer_status >= 400)
    return contents(result)


def answered(name: str, answer: WebAnswer, **arguments: JsonValue) -> CallToolResult:
    tool = all_tools()[name]
    return result_of(tool, arguments, request_of(tool, arguments), answer)


def contents(result: CallToolResult) -> dict[str, Any]:
    (text,) = result.content
    assert isinstance(text, TextContent)
    assert json.loads(text.text) == result.structured_content, "the text is the same, for clients that read no other"
    assert len(text.text.encode()) <= LARGEST_ANSWER
    return dict(result.structured_content or {})


def rows(count: int, width: int = 100) -> list[dict[str, JsonValue]]:
    return [{"quota": f"q{number}", "filler": "x" * width, "nothing": None} for number in range(count)]


@pytest.mark.case(81)
@pytest.mark.parametrize(("count", "width"), [(1000, 100), (3, 15_000), (500, 0)])
def test_rows_are_given_in_pieces_without_a_gap_however_many_there_are(count: int, width: int) -> None:
    everything, seen = rows(count, width), list[str]()
    arguments: dict[str, JsonValue] = {}
    for _ in range(count):
        answer = told("quota_list", {"quotas": everything}, 200, **arguments)
        seen += [row["quota"] for row in answer["quotas"]]
        if "next" not in answer:
            break
        assert answer["next"]["tool"] == "quota_list"
        arguments = answer["next"]["arguments"]
    assert seen == [row["quota"] for row in everything]


def test_a_page_of_the_api_ends_before_the_next_one_begins() -> None:
    page = {"operations": [{"operation_id": f"{n}", "message": "x" * 900} for n in range(40)], "next_token": "later"}
    first = told("operation_list", page, kind="create_cluster")
    assert first["next_token"].endswith("~")
    second = told("operation_list", page, 200, **first["next"]["arguments"])
    assert second["next_token"] == "later"
    assert second["next"]["arguments"] == {"kind": "create_cluster", "next_token": "later"}
    ids = [row["operation_id"] for row in (*first["operations"], *second["operations"])]
    assert ids == [f"{n}" for n in range(40)]


def test_that_there_is_nothing_is_said() -> None:
    assert told("cluster_list", {"clusters": [], "next_token": None}) == {"clusters": []}


@pytest.mark.case(81)
@pytest.mark.parametrize(
    "body",
    [
        {"spec": {"labels": {f"k{n}": "v" * 50 for n in range(2000)}}},
        {"message": "x" * 1_000_000},
        {"deep": [[["y" * 300] * 50] * 50] * 50},
        {"tag": "\u200f\u05de\u05e9\u05d0\u05d1 " * 20_000},
        {f"k{n}": n for n in range(20_000)},
    ],
    ids=["labels", "text", "lists", "right-to-left", "members"],
)
def test_what_is_no_list_of_rows_is_cut_where_it_is_longest_and_says_so(body: dict[str, JsonValue]) -> None:
    assert "more" in json.dumps(told("cluster_get", body, tag="t1"))


def test_what_fits_is_told_whole_but_for_blanks() -> None:
    body: dict[str, JsonValue] = {"tag": "t1", "conditions": [{"type": "A", "reason": None}], "active": [], "no": False}
    assert cut_members(body, 1000) == {"tag": "t1", "conditions": [{"type": "A"}], "no": False}
    assert size_of({"a": "ü"}) == 10


@pytest.mark.case(82)
def test_what_was_begun_is_told_with_how_long_it_takes_and_which_tool_tells_its_end() -> None:
    body = {
        "operation_id": "01",
        "kind": "create_storage",
        "cluster_tag": "t1",
        "status": "PENDING",
        "request": {"big": "x" * 9000},
        "stages": [{"name": "a", "expected_seconds": 30}, {"name": "b", "expected_seconds": 12}],
        "retry_after_seconds": 5,
    }
    answer = told("storage_create", body, 202, tag="t1")
    assert answer == {
        "operation_id": "01",
        "kind": "create_storage",
        "cluster_tag": "t1",
        "status": "PENDING",
        "retry_after_seconds": 5,
        "expected_seconds": 42,
        "status_tool": "operation_wait",
        "next": {"tool": "operation_wait", "arguments": {"operation_id": "01"}},
    }


def test_what_was_begun_before_says_so_and_how_to_begin_another() -> None:
    replay = WebAnswer(202, {**JSON, "idempotent-replayed": "true"}, b'{"operation_id": "01", "stages": []}')
    answer = contents(answered("storage_create", replay, tag="t1"))
    assert answer["replayed"] is True
    assert "idempotency_key" in answer["notice"]


@pytest.mark.parametrize(
    ("status", "retryable", "following"),
    [
        ("RUNNING", False, "operation_wait"),
        ("CANCELLING", False, "operation_wait"),
        ("CANCELLED", False, "operation_retry"),
        ("FAILED", True, "operation_retry"),
        ("FAILED", False, "cluster_diagnose"),
        ("SUCCEEDED", False, None),
    ],
)
def test_an_operation_is_told_by_what_has_begun_of_it_and_by_what_to_do_next(
    status: str, retryable: bool, following: str | None
) -> None:
    stages = [{"name": "a", "status": "SUCCEEDED", "title": "A", "resources": ["x"] * 9}]
    stages += [{"name": f"p{n}", "status": "PENDING"} for n in range(80)]
    body: dict[str, object] = {"operation_id": "01", "cluster_tag": "t1", "status": status, "stages": stages}
    body |= {"phases": [{"name": "one", "status": "RUNNING"}], "error": {"code": "x", "retryable": retryable}}
    answer = told("operation_get", body, operation_id="01")
    assert answer["stages"] == [{"name": "a", "status": "SUCCEEDED"}]
    assert (answer["pending_stages"], answer["phases"]) == (80, {"one": "RUNNING"})
    assert answer.get("next", {}).get("tool") == following


@pytest.mark.case(80)
def test_a_preview_comes_with_the_call_that_confirms_it() -> None:
    body = {"findings": [], "preview": {"digest": "d.1.s", "changes": [{"action": "delete", "name": "t1"}]}}
    answer = told("cluster_delete", body, tag="t1", dry_run=True)
    assert answer["next"] == {"tool": "cluster_delete", "arguments": {"tag": "t1", "confirm": "d.1.s"}}
    refused = {"findings": [{"level": "error"}], "preview": {"digest": None, "changes": []}}
    assert "next" not in told("cluster_delete", refused, tag="t1", dry_run=True)


@pytest.mark.parametrize(
    ("problem", "following"),
    [
        ({"code": "confirmation_required"}, {"tool": "cluster_delete", "arguments": {"tag": "t1", "dry_run": True}}),
        ({"code": "preview_outdated"}, {"tool": "cluster_delete", "arguments": {"tag": "t1", "dry_run": True}}),
        (
            {"code": "operation_in_progress", "operation_id": "01"},
            {"tool": "operation_get", "arguments": {"operation_id": "01"}},
        ),
        (
            {"code": "throttled", "retryable": True},
            {"tool": "cluster_delete", "arguments": {"tag": "t1", "confirm": "x"}},
        ),
        ({"code": "forbidden"}, None),
    ],
)
def test_a_refusal_keeps_its_code_and_remedy_and_names_the_call_that_gets_further(
    problem: dict[str, JsonValue], following: object
) -> None:
    body = {"type": "about:blank", "title": "T", "status": 409, "detail": "d", "remedy": "r", **problem}
    answer = told("cluster_delete", body, 409, tag="t1", confirm="x")
    assert (answer["code"], answer["detail"], answer["remedy"]) == (problem["code"], "d", "r")
    assert answer.get("next") == following


@pytest.mark.parametrize(
    ("status", "code", "following"),
    [
        (503, "unavailable", "cluster_list"),
        (429, "unavailable", "cluster_list"),
        (403, "deployment_fault", None),
        (413, "deployment_fault", None),
    ],
)
def test_who_answers_in_place_of_the_api_is_told_as_a_problem_that_passes_or_does_not(
    status: int, code: str, following: str | None
) -> None:
    broken = answered("cluster_list", WebAnswer(status, JSON, b'{"message": "Service Unavailable"}'))
    assert broken.is_error
    assert contents(broken)["code"] == code
    assert contents(broken).get("next", {}).get("tool") == following


def test_a_preview_is_confirmed_however_much_it_changes() -> None:
    digest = f"{'d' * 32}.1796015761.{'s' * 43}"
    changes: JsonValue = [
        {"action": "delete", "resource": "instance group", "name": f"g{n}", "reason": "r" * 300} for n in range(99)
    ]
    body: dict[str, JsonValue] = {"findings": [], "preview": {"digest": digest, "changes": changes}}
    answer = told("cluster_delete", body, tag="t1", dry_run=True)
    assert answer["preview"]["digest"] == digest
    assert answer["next"]["arguments"] == {"tag": "t1", "confirm": digest}
    assert "more" in json.dumps(answer["preview"]["changes"])


def test_arguments_that_are_too_long_to_be_repeated_are_spoken_of() -> None:
    groups: JsonValue = [{"name": f"g{n}", "labels": {"a": "x" * 60}} for n in range(100)]
    body: dict[str, JsonValue] = {"findings": [], "preview": {"digest": "d.1.s", "changes": []}}
    answer = told("cluster_create", body, tag="t1", hyperpod={"instance_groups": groups}, dry_run=True)
    assert answer["next"]["arguments"] == {"confirm": "d.1.s"}
    assert answer["next"]["other_arguments"] == "as in this call"


def test_no_rows_are_lost_where_filters_and_tokens_are_long() -> None:
    everything, seen = rows(240, 300), list[str]()
    arguments: dict[str, JsonValue] = {"instance_types": ",".join(f"ml.p{n}.48xlarge" for n in range(60))}
    for _ in range(240):
        answer = told("quota_list", {"quotas": everything}, 200, **arguments)
        seen += [row["quota"] for row in answer["quotas"]]
        if "next" not in answer:
            break
        arguments = answer["next"]["arguments"]
    assert seen == [row["quota"] for row in everything]
    page = {"operations": [{"operation_id": f"{n}", "message": "x" * 900} for n in range(30)], "next_token": "t" * 600}
    first = told("operation_list", page)
    second = told("operation_list", page, 200, **first["next"]["arguments"])
    assert [*first["operations"], *second["operations"]] == page["operations"]


def test_a_refusal_about_the_operation_that_was_asked_for_does_not_lead_back_to_it() -> None:
    problem: dict[str, JsonValue] = {"code": "conflict", "detail": "d", "operation_id": "01"}
    assert "next" not in told("operation_retry", problem, 409, operation_id="01")
    assert told("operation_retry", {**problem, "operation_id": "02"}, 409, operation_id="01")["next"]["tool"]


def test_a_row_that_is_no_operation_is_followed_by_nothing() -> None:
    row = {"name": "eks-a", "status": "PENDING"}
    assert told("importable_cluster_list", {"importable_clusters": [row]}) == {"importable_clusters": [row]}


def test_an_answer_that_is_no_json_is_told_as_its_text() -> None:
    yaml = WebAnswer(200, {"content-type": "application/yaml"}, b"kind: Config\n")
    assert contents(answered("kubeconfig_get", yaml, tag="t1")) == {"text": "kind: Config\n"}


def test_a_preview_that_somebodys_work_keeps_from_having_a_digest_leads_to_that_work() -> None:
    finding: JsonValue = {"code": "operation_in_progress", "level": "error", "resource": "01"}
    body: dict[str, JsonValue] = {"findings": [{"level": "warning"}, finding], "preview": {"digest": None}}
    answer = told("cluster_delete", body, tag="t1", dry_run=True)
    assert answer["next"] == {"tool": "operation_wait", "arguments": {"operation_id": "01"}}


@pytest.mark.parametrize(("status", "following"), [("RUNNING", "operation_wait"), ("FAILED", None)])
def test_a_listed_operation_is_told_without_what_it_was_asked_and_a_single_one_with_how_to_follow_it(
    status: str, following: str | None
) -> None:
    row = {"operation_id": "01", "status": status, "actor": {"id": "ann"}, "request": {"a": 1}, "scopes": ["cluster"]}
    answer = told("operation_list", {"operations": [row], "next_token": None}, limit=1)
    assert answer["operations"] == [{"operation_id": "01", "status": status, "actor": {"id": "ann"}}]
    assert answer.get("next", {}).get("tool") == following


def test_the_stages_that_stand_are_named_and_the_one_at_work_says_what_it_does() -> None:
    stages = [
        {"name": "a", "status": "SUCCEEDED", "message": "made 17 things"},
        {"name": "b", "status": "RUNNING", "message": "3/16 nodes", "attempt": 2},
    ]
    answer = told("operation_get", {"operation_id": "01", "status": "RUNNING", "stages": stages}, operation_id="01")
    assert answer["stages"] == [
        {"name": "a", "status": "SUCCEEDED"},
        {"name": "b", "status": "RUNNING", "message": "3/16 nodes"},
    ]
