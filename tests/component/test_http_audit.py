"""The audit of all operations: read page by page, and exported to a file for each day that is over."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, cast

import pytest

from functions.core import ledger, runtime
from functions.core.ledger import Ending
from functions.core.ledger.models import OperationStatus
from functions.entry import audit as entry
from tests.component.test_http_support import Edge, account, edge
from tests.component.test_ledger_support import ANN, BOB, begun, finish_operation, new_operation

__all__ = ["account", "edge"]

BUCKET = "audit-bucket"
Json = dict[str, Any]


@pytest.fixture
def bucket(edge: Edge) -> Iterator[str]:
    cast("dict[str, str]", edge.account.runtime.environment)["AUDIT_BUCKET"] = BUCKET
    runtime.client("s3").create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
    yield BUCKET
    del cast("dict[str, str]", edge.account.runtime.environment)["AUDIT_BUCKET"]


def entries(edge: Edge, query: str = "") -> list[Json]:
    answer = edge.send("GET", "/api/audit", query=query)
    assert answer.status == 200, answer.body
    return list(answer.body["entries"])


def tags(edge: Edge, query: str = "") -> list[str]:
    return [each["cluster_tag"] for each in entries(edge, query)]


def day_after_day(edge: Edge, *names: str, hours: float = 24) -> None:
    """Begin an operation a day, each on a cluster of its own."""
    for name in names:
        begun(name)
        edge.account.clock.advance(hours=hours)


def exported() -> list[str]:
    days = entry.handler({"source": "schedule", "action": "export"}, None)["exported"]
    assert isinstance(days, list)
    return [str(day) for day in days]


def files() -> dict[str, bytes]:
    client = runtime.client("s3")
    keys = [item["Key"] for item in client.list_objects_v2(Bucket=BUCKET).get("Contents", [])]
    return {key: client.get_object(Bucket=BUCKET, Key=key)["Body"].read() for key in keys}


# -- reading


def test_an_entry_says_who_did_what_through_which_door_to_which_cluster(edge: Edge) -> None:
    operation_id = edge.create("t1").body["operation_id"]
    at = edge.account.clock.now()
    [found] = entries(edge)
    entry_id, moment = found.pop("entry_id"), found.pop("at")
    assert len(entry_id) == 26
    assert moment.startswith(at.isoformat(timespec="milliseconds")[:23])
    assert found == {
        "operation_id": operation_id,
        "actor": {"id": "local", "channel": "rest", "client": "test"},
        "action": "begin",
        "detail": "create_cluster of t1 by POST /api/clusters",
        "kind": "create_cluster",
        "cluster_tag": "t1",
    }


def test_what_a_request_says_of_itself_is_audited_beside_its_kind(edge: Edge) -> None:
    ledger.begin(new_operation("t1").model_copy(update={"audited": "view for somebody"}))
    assert entries(edge)[0]["detail"] == "create_cluster of t1 by POST /api/clusters: view for somebody"


def test_entries_come_newest_first_whatever_month_they_are_of(edge: Edge) -> None:
    day_after_day(edge, "t1", "t2", "t3", hours=24 * 31)
    assert tags(edge) == ["t3", "t2", "t1"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("cluster_tag=t1", ["t1", "t1"]),
        ("actor=bob", ["t1"]),
        ("channel=agent", ["t1"]),
        ("channel=console&cluster_tag=t2", ["t2"]),
        ("from=2026-05-11T00:00:00Z", ["t3", "t2"]),
        ("to=2026-05-11T12:00:00%2B00:00", ["t1", "t1"]),
        ("from=2026-05-11T14:00:00%2B02:00&to=2026-05-12T00:00:00Z", ["t2"]),
        ("actor=ghost", []),
    ],
)
def test_a_list_is_narrowed_by_cluster_person_door_and_time(edge: Edge, query: str, found: list[str]) -> None:
    operation_id = begun("t1").operation_id
    ledger.request_cancel(operation_id, BOB)
    edge.account.clock.advance(days=1)
    day_after_day(edge, "t2", "t3")
    assert tags(edge, query) == found


def test_pages_follow_each_other_without_gap_or_repeat_across_months(edge: Edge) -> None:
    names = [f"t{number}" for number in range(7)]
    day_after_day(edge, *names, hours=24 * 12)
    found, query = list[str](), "limit=2"
    while query:
        answer = edge.send("GET", "/api/audit", query=query).body
        found += [each["cluster_tag"] for each in answer["entries"]]
        query = f"limit=2&next_token={answer['next_token']}" if answer["next_token"] else ""
    assert found == names[::-1]


def test_a_page_costs_one_query_however_much_was_done(edge: Edge) -> None:
    for number in range(8):
        begun(f"t{number}")
    assert edge.counting("GET", "/api/audit", query="limit=5") == {"Query": 1}
    edge.account.clock.advance(days=400)
    assert edge.counting("GET", "/api/audit", query="actor=ghost")["Query"] == 10


def test_entries_outlive_the_operation_and_end_with_their_own_retention(edge: Edge) -> None:
    finish_operation(begun("t1").operation_id, OperationStatus.SUCCEEDED)
    edge.account.clock.advance(days=540)
    assert tags(edge, "from=2026-05-01T00:00:00Z&to=2026-06-01T00:00:00Z") == ["t1"]
    edge.account.clock.advance(days=10)
    assert tags(edge, "from=2026-05-01T00:00:00Z&to=2026-06-01T00:00:00Z") == []


def test_a_cluster_that_is_forgotten_leaves_its_audit_behind(edge: Edge) -> None:
    finish_operation(edge.create("t1").body["operation_id"], OperationStatus.SUCCEEDED)
    forgetting = ledger.get(begun("t1", scopes=["cluster"]).operation_id)
    ledger.finish_operation(forgetting, Ending(OperationStatus.SUCCEEDED, None, None, None, forgets=True))
    assert edge.send("GET", "/api/clusters/t1").status == 404
    assert tags(edge, "cluster_tag=t1") == ["t1", "t1"]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("channel=telepathy", "channel"),
        ("from=yesterday", "from"),
        ("from=2026-05-11T00:00:00", "from"),
        ("from=2026-05-12T00:00:00Z&to=2026-05-11T00:00:00Z", "to"),
        ("limit=0", "limit"),
        ("next_token=x", "next_token"),
    ],
)
def test_a_list_that_makes_no_sense_is_refused_naming_the_parameter(edge: Edge, query: str, field: str) -> None:
    answer = edge.send("GET", "/api/audit", query=query)
    assert (answer.status, answer.fields) == (400, [field])


def test_only_an_administrator_reads_who_did_what(edge: Edge) -> None:
    assert edge.send("GET", "/api/audit", scopes=["read", "operate"]).status == 403


# -- the export


def test_each_finished_day_becomes_one_file_of_lines(edge: Edge, bucket: str) -> None:
    operation_id = begun("t1").operation_id
    ledger.request_cancel(operation_id, BOB)
    edge.account.clock.advance(days=2)
    assert exported() == ["2026-05-10", "2026-05-11"]
    kept = files()
    assert kept["audit/2026/05/11.jsonl"] == b""
    lines = [json.loads(line) for line in kept["audit/2026/05/10.jsonl"].splitlines()]
    assert [(line["action"], line["actor"]["id"], line["cluster_tag"]) for line in lines] == [
        ("begin", ANN.id, "t1"),
        ("cancel", BOB.id, "t1"),
    ]
    assert lines == entries(edge)[::-1]


def test_a_day_is_left_alone_until_an_hour_after_its_end(edge: Edge, bucket: str) -> None:
    begun("t1")
    edge.account.clock.time = edge.account.clock.time.replace(hour=0, minute=59) + timedelta(days=1)
    assert exported() == []
    edge.account.clock.advance(minutes=1)
    assert exported() == ["2026-05-10"]


def test_the_day_of_an_entry_at_the_last_millisecond_of_a_month_is_the_one_it_was_written_on(
    edge: Edge, bucket: str
) -> None:
    edge.account.clock.time = edge.account.clock.time.replace(
        day=31, hour=23, minute=59, second=59, microsecond=999_999
    )
    begun("t1")
    edge.account.clock.advance(days=2)
    assert exported() == ["2026-05-31", "2026-06-01"]
    assert files()["audit/2026/05/31.jsonl"].count(b"\n") == 1


def test_a_file_that_stands_is_never_written_again_and_one_that_was_lost_is_the_same_again(
    edge: Edge, bucket: str
) -> None:
    day_after_day(edge, "t1", "t2", "t3")
    assert exported() == ["2026-05-10", "2026-05-11", "2026-05-12"]
    before = files()
    with edge.account.counted() as calls:
        assert exported() == []
    assert calls == ["ListObjectsV2"]
    runtime.client("s3").delete_object(Bucket=BUCKET, Key="audit/2026/05/11.jsonl")
    assert exported() == ["2026-05-11"]
    assert files() == before


def test_days_that_were_missed_are_caught_up_a_month_at_a_run_oldest_first(edge: Edge, bucket: str) -> None:
    begun("t1")
    edge.account.clock.advance(days=40)
    first, second = exported(), exported()
    assert (len(first), first[0], len(second), second[-1]) == (31, "2026-05-10", 9, "2026-06-18")
    assert exported() == []


def test_where_nothing_was_ever_done_nothing_is_written(edge: Edge, bucket: str) -> None:
    assert exported() == []
    assert files() == {}


def test_somebody_elses_file_of_the_day_stays_as_it_is(edge: Edge, bucket: str) -> None:
    """Two runs at once see the same day missing; the second one to write finds the first one's file."""
    begun("t1")
    edge.account.clock.advance(days=1, hours=2)
    client = runtime.client("s3")

    overtaken: list[bool] = []

    def overtake(**_: object) -> None:
        if not overtaken:
            overtaken.append(True)
            client.put_object(Bucket=BUCKET, Key="audit/2026/05/10.jsonl", Body=b"theirs")

    client.meta.events.register_first("before-call.s3.PutObject", overtake)
    assert exported() == []
    assert files() == {"audit/2026/05/10.jsonl": b"theirs"}
