"""What goes over a WebSocket: topics, changes told once, and messages that fit."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from functions.connections import delivery
from functions.connections.messages import OperationMessage, Pong
from functions.connections.models import COMMANDS, Subscribe
from functions.connections.routes.push import change_of
from functions.connections.rules import Change, newest, topic_of
from functions.core.ledger.models import Actor, Channel, Operation
from functions.core.ledger.stream import Stored

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def operation(result: str = "") -> Operation:
    return Operation(
        operation_id="01A",
        kind="create_cluster",
        cluster_tag="t",
        account_id="123456789012",
        region="us-west-2",
        actor=Actor(id="me", channel=Channel.REST, client="c"),
        request={},
        result={"text": result},
        scopes=["cluster"],
        created_at=NOW,
        updated_at=NOW,
        version=7,
    )


def stored(**item: object) -> Stored:
    image = {name: value if isinstance(value, dict) else {"S": value} for name, value in item.items()}
    return Stored.model_validate({"SequenceNumber": "5", "ApproximateCreationDateTime": 1767225600, "NewImage": image})


def test_a_topic_is_an_operation_a_cluster_what_the_caller_began_or_everything() -> None:
    asked = [
        '{"action": "subscribe", "operation_id": "01A"}',
        '{"action": "subscribe", "cluster_tag": "t"}',
        '{"action": "unsubscribe", "mine": true}',
        '{"action": "subscribe", "all": true}',
    ]
    topics = []
    for text in asked:
        command = COMMANDS.validate_json(text)
        assert command.action != "ping"
        topics.append(topic_of(command, "me"))
    assert topics == ["operation#01A", "cluster#t", "caller#me", "all"]


@pytest.mark.parametrize("named", ["", ', "all": true, "mine": true', ', "all": false', ', "all": "everything"'])
def test_a_topic_is_exactly_one_thing(named: str) -> None:
    with pytest.raises(ValidationError):
        COMMANDS.validate_json(f'{{"action": "subscribe"{named}}}')


def test_a_resumption_names_the_instant_with_its_offset() -> None:
    command = COMMANDS.validate_json('{"action": "subscribe", "mine": true, "after": "2026-01-01T01:00:00+01:00"}')
    assert isinstance(command, Subscribe)
    assert command.after == NOW


def test_an_operation_is_told_to_its_own_subscribers_its_clusters_its_callers_and_those_of_everything() -> None:
    change = change_of(
        stored(operation_id="01A", record="operation", cluster_tag="t", actor={"M": {"id": {"S": "me"}}})
    )
    assert change == Change("5", "01A", frozenset({"operation#01A", "cluster#t", "caller#me", "all"}))


def test_an_audit_entry_is_told_to_its_operations_subscribers_and_an_event_to_its_clusters_and_everythings() -> None:
    entry = change_of(stored(operation_id="01A", record="audit#01B"))
    event = change_of(stored(cluster_tag="t", time_id="2026#e"))
    assert entry == Change("5", "audit#01B", frozenset({"operation#01A"}))
    assert event == Change("5", "2026#e", frozenset({"cluster#t", "all"}))


def test_a_stage_is_told_with_its_operation_and_not_by_itself() -> None:
    assert change_of(stored(operation_id="01A", record="stage#010#foundation#foundation", await_token="secret")) is None


def test_of_several_changes_of_one_thing_one_is_told() -> None:
    changes = [Change("1", "01A"), Change("2", "01B"), Change("3", "01A")]
    assert [change.sequence for change in newest(changes)] == ["1", "2"]


def test_an_operation_too_large_for_a_message_is_announced_without_itself() -> None:
    small = OperationMessage(operation_id="01A", version=7, operation=operation("x"))
    assert delivery.encoded(small) == small.model_dump_json().encode()
    large = OperationMessage(operation_id="01A", version=7, operation=operation("é" * 66_000))
    assert delivery.encoded(large) == b'{"type":"operation","operation_id":"01A","version":7,"operation":null}'
    assert delivery.encoded(Pong()) == b'{"type":"pong"}'
