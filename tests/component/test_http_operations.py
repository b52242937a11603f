"""The operations routes through HTTP events."""

from __future__ import annotations

import json

import pytest

from functions.core import ledger, runtime
from functions.core.ledger.models import OperationStatus
from functions.core.ledger.tables import CLUSTERS
from infra.openapi import TARGET
from infra.release import function_role
from tests.component.test_http_support import Answer, Edge, account, edge, standing
from tests.component.test_ledger_support import (
    ENVIRONMENT,
    cluster_records,
    executions,
    finish_operation,
    new_operation,
    store_await_token,
)
from tests.component.test_privilege_support import PLACE, acting_as

__all__ = ["account", "edge"]


def end(operation_id: str, status: OperationStatus) -> None:
    finish_operation(operation_id, status)


def begun(edge: Edge) -> str:
    operation_id: str = edge.create().body["operation_id"]
    return operation_id


def test_an_operation_says_when_to_look_again_until_it_has_ended(edge: Edge) -> None:
    operation_id = begun(edge)
    assert edge.send("GET", f"/api/operations/{operation_id}").body["retry_after_seconds"] == 1
    end(operation_id, OperationStatus.CANCELLED)
    ended = edge.send("GET", f"/api/operations/{operation_id}").body
    assert (ended["status"], ended["retry_after_seconds"]) == ("CANCELLED", None)


def test_a_wait_ends_with_the_operation(edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
    operation_id, clock = begun(edge), edge.account.clock
    started, sleep = clock.now(), clock.sleep

    def finish_while_asleep(seconds: float) -> None:
        sleep(seconds)
        if len(clock.slept) == 3:
            # No edge function ends an operation.
            with acting_as(PLACE.global_name(function_role("operations"))):
                end(operation_id, OperationStatus.CANCELLED)

    monkeypatch.setattr(clock, "sleep", finish_while_asleep)
    answer = edge.send("GET", f"/api/operations/{operation_id}", query="wait=20")
    assert answer.body["status"] == "CANCELLED"
    assert len(clock.slept) == 3
    assert (clock.now() - started).total_seconds() < 20


@pytest.mark.parametrize(
    ("wait", "seconds_left", "waited"),
    [(0, 29, 0), (7, 29, 7), (600, 29, 20), (20, 12, 7), (20, 3, 0)],
)
def test_a_wait_is_as_long_as_asked_and_as_the_invocation_allows(
    edge: Edge, wait: int, seconds_left: float, waited: float
) -> None:
    operation_id, started = begun(edge), edge.account.clock.now()
    edge.context.seconds = seconds_left
    answer = edge.send("GET", f"/api/operations/{operation_id}", query=f"wait={wait}")
    assert (answer.status, answer.body["status"]) == (200, "PENDING")
    assert (edge.account.clock.now() - started).total_seconds() == pytest.approx(waited)


@pytest.mark.parametrize("query", ["wait=-1", "wait=soon", "wait=1&wait=2", "patience=3"])
def test_a_wait_that_makes_no_sense_is_refused(edge: Edge, query: str) -> None:
    answer = edge.send("GET", f"/api/operations/{begun(edge)}", query=query)
    assert (answer.status, answer.body["code"]) == (400, "invalid_request")
    assert answer.fields == [query.partition("=")[0]]


def test_reading_an_operation_is_one_query(edge: Edge) -> None:
    assert edge.counting("GET", f"/api/operations/{begun(edge)}") == {"Query": 1}


def test_operations_are_listed_newest_first_and_by_filter(edge: Edge) -> None:
    for tag in ("t1", "t2", "t3"):
        edge.create(tag)
        edge.account.clock.advance(seconds=1)
    every = edge.send("GET", "/api/operations").body["operations"]
    assert [each["cluster_tag"] for each in every] == ["t3", "t2", "t1"]
    assert {each["retry_after_seconds"] for each in every} == {1}
    one = edge.send("GET", "/api/operations", query="cluster_tag=t2&status=PENDING&kind=create_cluster").body
    assert [each["cluster_tag"] for each in one["operations"]] == ["t2"]
    assert edge.send("GET", "/api/operations", query="status=FAILED").body["operations"] == []


@pytest.mark.parametrize(
    ("query", "field", "code"),
    [
        ("status=pending", "status", "invalid_request"),
        ("limit=201", "limit", "invalid_request"),
        ("limit=many", "limit", "invalid_request"),
        ("next_token=made-up", "next_token", "invalid_page_token"),
        ("clustertag=t1", "clustertag", "invalid_request"),
    ],
)
def test_a_list_that_cannot_be_made_is_refused(edge: Edge, query: str, field: str, code: str) -> None:
    answer = edge.send("GET", "/api/operations", query=query)
    assert (answer.status, answer.body["code"], answer.fields) == (400, code, [field])


def test_the_audit_names_who_began_and_who_cancelled(edge: Edge) -> None:
    operation_id: str = edge.create(caller="ann").body["operation_id"]
    edge.send("POST", f"/api/operations/{operation_id}/cancel", caller="bob")
    entries = edge.send("GET", f"/api/operations/{operation_id}/audit").body["entries"]
    assert [(each["action"], each["actor"]["id"]) for each in entries] == [("begin", "ann"), ("cancel", "bob")]


def test_a_failed_operation_is_retried_as_a_new_one_from_where_it_stopped(edge: Edge) -> None:
    operation_id = begun(edge)
    end(operation_id, OperationStatus.CANCELLED)
    answer = edge.send("POST", f"/api/operations/{operation_id}/retry", key="again")
    assert (answer.status, answer.body["retry_of"], answer.body["status"]) == (202, operation_id, "PENDING")
    assert answer.headers["location"] == f"/api/operations/{answer.body['operation_id']}"
    assert set(executions()) == {operation_id, answer.body["operation_id"]}


def test_a_second_retry_names_the_first_and_its_key_gives_it_again(edge: Edge) -> None:
    operation_id = begun(edge)
    end(operation_id, OperationStatus.CANCELLED)
    first = edge.send("POST", f"/api/operations/{operation_id}/retry", key="k1").body["operation_id"]
    end(first, OperationStatus.CANCELLED)
    second = edge.send("POST", f"/api/operations/{operation_id}/retry", key="k2")
    assert (second.status, second.body["code"], second.body["operation_id"]) == (409, "conflict", first)
    assert edge.send("POST", f"/api/operations/{operation_id}/retry", key="k1").body["operation_id"] == first
    assert edge.send("POST", f"/api/operations/{first}/retry").status == 202


def test_an_unfinished_operation_is_not_retried(edge: Edge) -> None:
    operation_id = begun(edge)
    answer = edge.send("POST", f"/api/operations/{operation_id}/retry")
    assert (answer.status, answer.body["code"], answer.body["operation_id"]) == (409, "conflict", operation_id)


def ended(edge: Edge, kind: str, status: OperationStatus) -> str:
    """An operation on cluster t1, begun a minute after what was before and ended so."""
    edge.account.clock.advance(minutes=1)
    operation_id = ledger.begin(new_operation("t1", kind=kind, scopes=["cluster"])).operation.operation_id
    end(operation_id, status)
    return operation_id


def retried(edge: Edge, operation_id: str) -> Answer:
    return edge.send("POST", f"/api/operations/{operation_id}/retry")


def refused_retry(edge: Edge, operation_id: str) -> str:
    """Why a retry is refused; its dry run says the same, and nothing is begun."""
    before = executions()
    answer = retried(edge, operation_id)
    assert (answer.status, answer.body["code"]) == (409, "conflict")
    assert "dry_run=true" in answer.body["remedy"]
    [finding] = edge.send("POST", f"/api/operations/{operation_id}/retry", query="dry_run=true").body["findings"]
    assert (finding["level"], finding["code"]) == ("error", "conflict")
    assert (finding["message"], finding["remedy"]) == (answer.body["detail"], answer.body["remedy"])
    assert executions() == before
    return str(answer.body["detail"])


def create_anew(edge: Edge) -> None:
    """Another cluster of the same tag, whose creation succeeded, in the place of the one that was deleted."""
    for record in cluster_records("t1"):
        key = {"cluster_tag": {"S": "t1"}, "record": {"S": record}}
        runtime.client("dynamodb").delete_item(TableName=ENVIRONMENT[CLUSTERS.variable], Key=key)
    edge.account.clock.advance(minutes=1)
    end(begun(edge), OperationStatus.SUCCEEDED)


def test_a_failed_deletion_is_retried_and_so_is_its_retry(edge: Edge) -> None:
    standing(edge, "t1")
    failed = ended(edge, "delete_cluster", OperationStatus.FAILED)
    first = retried(edge, failed)
    assert first.status == 202
    end(first.body["operation_id"], OperationStatus.FAILED)
    assert retried(edge, failed).body["operation_id"] == first.body["operation_id"]
    edge.account.clock.advance(minutes=1)
    assert retried(edge, first.body["operation_id"]).status == 202


@pytest.mark.parametrize("kind", ["delete_cluster", "create_hyperpod"])
def test_what_was_about_a_deleted_cluster_never_reaches_the_next_of_its_tag(edge: Edge, kind: str) -> None:
    standing(edge, "t1")
    failed = ended(edge, kind, OperationStatus.FAILED)
    ended(edge, "delete_cluster", OperationStatus.SUCCEEDED)
    create_anew(edge)
    assert "earlier cluster of the tag 't1'" in refused_retry(edge, failed)


def test_a_creation_is_retried_though_it_was_begun_within_the_millisecond_of_its_cluster(edge: Edge) -> None:
    operation_id = begun(edge)
    end(operation_id, OperationStatus.FAILED)
    assert edge.account.clock.now().microsecond % 1000
    assert retried(edge, operation_id).status == 202


def test_what_was_confirmed_is_not_retried_once_anything_newer_was_begun(edge: Edge) -> None:
    standing(edge, "t1")
    cancelled = ended(edge, "delete_hyperpod", OperationStatus.CANCELLED)
    newer = ended(edge, "create_hyperpod", OperationStatus.SUCCEEDED)
    assert newer in refused_retry(edge, cancelled)


def test_what_needs_no_confirmation_is_retried_whatever_came_after_it(edge: Edge) -> None:
    standing(edge, "t1")
    failed = ended(edge, "create_hyperpod", OperationStatus.FAILED)
    ended(edge, "update_cluster", OperationStatus.SUCCEEDED)
    assert retried(edge, failed).status == 202


def test_a_repeated_retry_gives_what_it_began_whatever_came_after_it(edge: Edge) -> None:
    standing(edge, "t1")
    failed = ended(edge, "delete_hyperpod", OperationStatus.FAILED)
    path = f"/api/operations/{failed}/retry"
    first = edge.send("POST", path, key="k").body["operation_id"]
    end(first, OperationStatus.SUCCEEDED)
    ended(edge, "create_hyperpod", OperationStatus.SUCCEEDED)
    assert edge.send("POST", path, key="k").body["operation_id"] == first


def test_a_cancellation_is_accepted_while_the_operation_goes_on(edge: Edge) -> None:
    operation_id = begun(edge)
    answer = edge.send("POST", f"/api/operations/{operation_id}/cancel")
    assert (answer.status, answer.body["status"], answer.body["reason"]) == (202, "CANCELLING", "CANCELLED_BY_CALLER")


def test_a_cancellation_wakes_the_waiting_stage_even_if_it_has_moved_on(edge: Edge) -> None:
    operation_id = begun(edge)
    stage = ledger.get(operation_id).stages[0].record
    ledger.begin_stage(operation_id, stage)
    store_await_token(operation_id, stage, "a token nobody waits with")
    made = edge.counting("POST", f"/api/operations/{operation_id}/cancel")
    assert made["SendTaskSuccess"] == 1


@pytest.mark.parametrize(
    ("method", "suffix"), [("GET", ""), ("GET", "/audit"), ("POST", "/retry"), ("POST", "/cancel")]
)
def test_an_unknown_operation_is_not_found(edge: Edge, method: str, suffix: str) -> None:
    answer = edge.send(method, f"/api/operations/01ARZ3NDEKTSV4RRFFQ69G5FAV{suffix}")
    assert (answer.status, answer.body["code"]) == (404, "not_found")


def test_the_openapi_document_is_the_built_one_and_costs_no_call(edge: Edge) -> None:
    assert edge.counting("GET", "/api/openapi.json") == {}
    assert edge.send("GET", "/api/openapi.json").body == json.loads(TARGET.read_text(encoding="utf-8"))


def test_a_table_that_is_not_there_is_a_fault_of_the_deployment(edge: Edge) -> None:
    runtime.client("dynamodb").delete_table(TableName=runtime.environment()["OPERATIONS_TABLE"])
    answer = edge.send("GET", "/api/operations/01ARZ3NDEKTSV4RRFFQ69G5FAV")
    assert (answer.status, answer.body["code"]) == (500, "deployment_fault")
    assert (answer.body["cause"]["api_call"], answer.body["cause"]["code"]) == ("Query", "ResourceNotFoundException")


@pytest.mark.parametrize("action", ["retry", "cancel"])
def test_whoever_may_not_begin_an_operation_may_neither_retry_nor_cancel_it(edge: Edge, action: str) -> None:
    operation_id = ledger.begin(new_operation("t1", kind="change_access", scopes=["access"])).operation.operation_id
    if action == "retry":
        end(operation_id, OperationStatus.FAILED)
    path = f"/api/operations/{operation_id}/{action}"
    for query in ("", "dry_run=true"):
        answer = edge.send("POST", path, query=query, scopes=["read", "operate"])
        assert (answer.status, answer.body["code"]) == (403, "forbidden")
    assert edge.send("POST", path, query="dry_run=true").status == 200
