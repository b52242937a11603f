"""The tables' streams as their function sees them: in order, in DynamoDB's shapes, again where a part failed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from infra.local.functions import Outcome
from infra.triggers import STREAMS
from tests.host.driver import Driver

TABLE = "instantstart-operations"
Json = dict[str, Any]


class Recorder:
    """A function that answers what the test says, in turn, and remembers its batches."""

    def __init__(self) -> None:
        self.batches: list[list[Json]] = []
        self.others: list[str] = []
        self.answers: list[Callable[[list[Json]], Outcome]] = []

    def __call__(self, function: str, event: object) -> Outcome:
        if function != "push":
            self.others.append(function)
            return Outcome("null")
        self.batches.append(json.loads(json.dumps(event))["Records"])
        return self.answers.pop(0)(self.batches[-1]) if self.answers else Outcome("null")

    def versions(self) -> list[list[int]]:
        return [[int(each["dynamodb"]["NewImage"]["version"]["N"]) for each in batch] for batch in self.batches]


@pytest.fixture
def recorder(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> Iterator[Recorder]:
    recorder, streams = Recorder(), driver.host.streams
    monkeypatch.setattr(streams, "_invoke", recorder)
    yield recorder
    driver.sleep(120)


def put(driver: Driver, version: int, operation_id: str = "o1", record: str = "operation") -> None:
    item = {"operation_id": {"S": operation_id}, "record": {"S": record}, "version": {"N": str(version)}}
    driver.host.client("dynamodb").put_item(TableName=TABLE, Item=item)


def failing_from(place: int) -> Callable[[list[Json]], Outcome]:
    def answer(batch: list[Json]) -> Outcome:
        number = batch[place]["dynamodb"]["SequenceNumber"]
        return Outcome(json.dumps({"batchItemFailures": [{"itemIdentifier": number}]}))

    return answer


def crashing(_: list[Json]) -> Outcome:
    return Outcome(json.dumps({"errorType": "Crash"}), "Unhandled")


def test_changes_come_in_order_with_both_images(driver: Driver, recorder: Recorder) -> None:
    put(driver, 1)
    put(driver, 2)
    driver.host.client("dynamodb").delete_item(
        TableName=TABLE, Key={"operation_id": {"S": "o1"}, "record": {"S": "operation"}}
    )
    driver.sleep(1)
    [batch] = recorder.batches
    assert [each["eventName"] for each in batch] == ["INSERT", "MODIFY", "REMOVE"]
    numbers = [int(each["dynamodb"]["SequenceNumber"]) for each in batch]
    assert numbers == sorted(set(numbers))
    changed = batch[1]
    assert changed["eventSource"] == "aws:dynamodb"
    assert changed["awsRegion"] == "us-west-2"
    assert f":table/{TABLE}/stream/" in changed["eventSourceARN"]
    stored = changed["dynamodb"]
    assert stored["Keys"] == {"operation_id": {"S": "o1"}, "record": {"S": "operation"}}
    assert (stored["OldImage"]["version"], stored["NewImage"]["version"]) == ({"N": "1"}, {"N": "2"})
    assert stored["StreamViewType"] == "NEW_AND_OLD_IMAGES"
    assert "NewImage" not in batch[2]["dynamodb"]


def test_what_changed_nothing_what_was_rolled_back_and_what_is_filtered_out_is_not_told(
    driver: Driver, recorder: Recorder
) -> None:
    put(driver, 1)
    put(driver, 1)
    put(driver, 1, record="stage#010#foundation#foundation")
    put(driver, 2, operation_id="o2", record="audit#1")
    client = driver.host.client("dynamodb")
    impossible = {"#r": "record"}
    with pytest.raises(client.exceptions.TransactionCanceledException):
        client.transact_write_items(
            TransactItems=[
                {"Put": {"TableName": TABLE, "Item": {"operation_id": {"S": "o3"}, "record": {"S": "operation"}}}},
                {
                    "ConditionCheck": {
                        "TableName": TABLE,
                        "Key": {"operation_id": {"S": "o4"}, "record": {"S": "operation"}},
                        "ConditionExpression": "attribute_exists(#r)",
                        "ExpressionAttributeNames": impossible,
                    }
                },
            ]
        )
    driver.sleep(1)
    [batch] = recorder.batches
    assert [each["dynamodb"]["Keys"]["operation_id"]["S"] for each in batch] == ["o1", "o2"]


def test_a_batch_is_repeated_from_what_failed_and_the_rest_waits(driver: Driver, recorder: Recorder) -> None:
    for version in (1, 2, 3):
        put(driver, version)
    recorder.answers = [failing_from(1), crashing]
    driver.sleep(30)
    assert recorder.versions() == [[1, 2, 3], [2, 3], [2, 3]]
    put(driver, 4)
    driver.sleep(1)
    assert recorder.versions()[3:] == [[4]]


def test_an_answer_that_names_no_record_of_the_batch_fails_all_of_it(driver: Driver, recorder: Recorder) -> None:
    put(driver, 1)
    recorder.answers = [lambda _: Outcome(json.dumps({"batchItemFailures": [{"itemIdentifier": "other"}]}))]
    driver.sleep(30)
    assert recorder.versions() == [[1], [1]]


def test_what_is_refused_again_and_again_is_put_aside_and_holds_nothing_up(driver: Driver, recorder: Recorder) -> None:
    [stream] = [each for each in STREAMS if (each.table, each.function) == ("operations", "push")]
    put(driver, 1)
    recorder.answers = [crashing] * (stream.maximum_retries + 1)
    driver.sleep(3600)
    put(driver, 2)
    driver.sleep(1)
    assert recorder.versions() == [[1]] * (stream.maximum_retries + 1) + [[2]]
    lost: list[Json] = driver.host.streams.lost(TABLE)
    assert [each["dynamodb"]["NewImage"]["version"] for each in lost] == [{"N": "1"}]


def test_what_is_on_its_way_belongs_to_a_snapshot(driver: Driver, recorder: Recorder) -> None:
    put(driver, 1)
    kept = driver.host.snapshot()
    driver.sleep(1)
    driver.host.restore(kept)
    driver.sleep(1)
    assert recorder.versions() == [[1], [1]]


def test_each_function_gets_what_it_wants_of_a_table_and_holds_up_no_other(driver: Driver, recorder: Recorder) -> None:
    failed = {
        "operation_id": {"S": "o1"},
        "record": {"S": "operation"},
        "version": {"N": "2"},
        "status": {"S": "FAILED"},
    }
    put(driver, 1)
    driver.host.client("dynamodb").put_item(TableName=TABLE, Item=failed)
    recorder.answers = [crashing]
    driver.sleep(30)
    # The one repeats its batch; the other has had its own, once: an operation that has not failed is nothing to it.
    assert recorder.versions() == [[1, 2], [1, 2]]
    assert recorder.others == ["notifications"]
