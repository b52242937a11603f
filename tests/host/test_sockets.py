"""WebSockets: who may open one, and what it says of operations and clusters."""

from __future__ import annotations

from typing import cast

import pytest

from functions.connections import tickets
from functions.connections.rules import MAX_TOPICS
from functions.core.declaration import Scope
from functions.core.ledger.paging import DEFAULT_LIMIT
from infra.local.socket_client import SocketClient
from infra.local.websocket import TOO_BIG, ConnectionRefused
from tests.host.driver import Driver, Json
from tests.host.sockets import SOON, begun, connect, connect_as, hyperpod_event, of_type, operations, refusal, rows

# -- tickets


def test_a_ticket_opens_one_connection_and_is_never_stored(driver: Driver) -> None:
    answer = driver.send("POST", "/api/tickets")
    assert answer.status == 201
    ticket = answer.body["ticket"]
    assert ticket not in str(rows(driver, "tickets"))
    assert driver.host.websocket(ticket).send({"action": "ping"}) == [{"type": "pong"}]
    assert refusal(lambda: driver.host.websocket(ticket)) == 401
    assert rows(driver, "tickets")["Items"] == []


def test_of_two_that_show_one_ticket_at_once_one_gets_in(driver: Driver) -> None:
    ticket = driver.send("POST", "/api/tickets").body["ticket"]

    def attempt() -> bool:
        try:
            driver.host.websocket(ticket)
        except ConnectionRefused:
            return False
        return True

    assert sorted(driver.together([attempt] * 4)) == [False, False, False, True]


def test_a_ticket_is_refused_after_a_minute(driver: Driver) -> None:
    ticket = driver.send("POST", "/api/tickets").body["ticket"]
    driver.sleep(tickets.LIFETIME.total_seconds() + 1)
    assert refusal(lambda: driver.host.websocket(ticket)) == 401


@pytest.mark.parametrize("ticket", [None, "", "made-up", "\ud800"])
def test_without_a_ticket_nobody_gets_in(driver: Driver, ticket: str | None) -> None:
    if ticket == "\ud800":
        ticket = "%ED%A0%80"
    assert refusal(lambda: driver.host.websocket(ticket)) == 401


def test_a_caller_who_may_not_read_may_not_listen(driver: Driver) -> None:
    assert refusal(lambda: connect_as(driver, "writer", Scope.OPERATE)) == 403
    assert rows(driver, "connections")["Items"] == []


# -- messages


@pytest.mark.parametrize(
    ("message", "code", "fields"),
    [
        ("{", "invalid_request", ["body"]),
        ("[]", "invalid_request", ["body"]),
        ({"action": "shout"}, "invalid_request", ["body"]),
        ({"action": "subscribe"}, "invalid_request", ["body"]),
        ({"action": "subscribe", "operation_id": "a", "cluster_tag": "b"}, "invalid_request", ["body"]),
        ({"action": "subscribe", "operation_id": 7}, "invalid_request", ["operation_id"]),
        ({"action": "subscribe", "mine": False}, "invalid_request", ["mine"]),
        ({"action": "subscribe", "mine": True, "after_version": "3"}, "invalid_request", ["after_version"]),
        ({"action": "subscribe", "mine": True, "after": "yesterday"}, "invalid_request", ["after"]),
        ({"action": "subscribe", "mine": True, "all": True}, "invalid_request", ["body"]),
        ({"action": "subscribe", "all": False}, "invalid_request", ["all"]),
        ({"action": "subscribe", "mine": True, "loud": True}, "invalid_request", ["loud"]),
        ({"action": "subscribe", "operation_id": "01ABC"}, "not_found", []),
        ({"action": "subscribe", "cluster_tag": "none"}, "not_found", []),
    ],
)
def test_what_is_wrong_with_a_message_is_answered_and_the_connection_stays(
    driver: Driver, message: Json | str, code: str, fields: list[str]
) -> None:
    client = connect(driver)
    [answer] = client.send(message)
    problem = cast("Json", answer["problem"])
    assert (answer["type"], problem["code"]) == ("problem", code)
    assert [error["field"] for error in problem["errors"]] == fields
    assert client.send({"action": "ping"}) == [{"type": "pong"}]
    assert "topics" not in rows(driver, "connections")["Items"][0]


def test_a_connection_watches_only_so_many_topics(driver: Driver) -> None:
    first, second = begun(driver, "first"), begun(driver, "second")
    client = connect(driver)
    driver.host.client("dynamodb").update_item(
        TableName="instantstart-connections",
        Key={"connection_id": {"S": client.connection_id}},
        UpdateExpression="ADD topics :topics",
        ExpressionAttributeValues={":topics": {"SS": [f"cluster#c{number}" for number in range(MAX_TOPICS - 1)]}},
    )

    def answer(action: str, topic: Json) -> object:
        return client.send({"action": action, **topic})[-1]["type"]

    assert answer("subscribe", {"operation_id": first}) == "subscribed"
    assert answer("subscribe", {"operation_id": second}) == "problem"
    assert answer("subscribe", {"operation_id": first}) == "subscribed"
    assert answer("unsubscribe", {"cluster_tag": "c0"}) == "unsubscribed"
    assert answer("subscribe", {"operation_id": second}) == "subscribed"


def test_a_message_too_large_for_a_frame_closes_the_connection(driver: Driver) -> None:
    client = connect(driver)
    client.send("x" * (32 * 1024 + 1))
    assert client.closed == TOO_BIG
    assert rows(driver, "connections")["Items"] == []


# -- what is told


def test_a_subscriber_is_told_how_things_stand_and_then_each_change_as_the_route_gives_it(driver: Driver) -> None:
    operation_id = begun(driver)
    client = connect(driver)
    answers = client.send({"action": "subscribe", "operation_id": operation_id})
    assert [answer["type"] for answer in answers] == ["operation", "subscribed"]
    driver.sleep(SOON)
    assert of_type(client, "operation")[-1]["operation"] == driver.operation(operation_id)
    again = client.send({"action": "subscribe", "operation_id": operation_id})
    assert again[0]["operation"] == driver.operation(operation_id)
    driver.cancel(operation_id)
    driver.sleep(SOON)
    assert client.received[-1]["type"] in ("operation", "audit")
    assert of_type(client, "operation")[-1]["operation"] == driver.operation(operation_id)
    assert [message["entry"]["action"] for message in of_type(client, "audit")][-1] == "cancel"


def test_who_watches_a_cluster_of_many_operations_is_told_that_these_are_not_all(driver: Driver) -> None:
    operation_id = begun(driver)
    dynamodb = driver.host.client("dynamodb")
    key = {"operation_id": {"S": operation_id}, "record": {"S": "operation"}}
    stored = dynamodb.get_item(TableName="instantstart-operations", Key=key)["Item"]
    for number in range(DEFAULT_LIMIT):
        marks = {"operation_id": {"S": f"01{number:04}"}, "created_at_id": {"S": f"2026-01-01T00:00:00Z#{number:04}"}}
        ended = {"status": {"S": "SUCCEEDED"}, **marks}
        dynamodb.put_item(TableName="instantstart-operations", Item={**stored, **ended})
    client = connect(driver)
    answers = client.send({"action": "subscribe", "cluster_tag": "watched"})
    assert [answer["type"] for answer in answers] == ["operation", "subscribed"]
    assert (answers[0]["operation_id"], answers[1]["complete"]) == (operation_id, False)


def test_who_watches_a_cluster_hears_of_its_operations_and_events_and_of_no_other(driver_of_base: Driver) -> None:
    driver, host = driver_of_base, driver_of_base.host
    client = connect(driver)
    client.send({"action": "subscribe", "cluster_tag": "base"})
    other = begun(driver, "other")
    mine = driver.post("/api/clusters/base/dependencies")["operation_id"]
    host.bus.publish(hyperpod_event(host.clock.now()))
    driver.sleep(3)
    assert {operation_id for operation_id, _ in operations(client)} == {mine}
    assert other != mine
    [told] = of_type(client, "cluster_event")
    assert told["event"] == driver.get("/api/clusters/base/events")["events"][0]


def test_mine_is_what_the_caller_of_the_ticket_began(driver: Driver) -> None:
    own, stranger = connect(driver), connect_as(driver, "stranger", Scope.READ)
    for client in (own, stranger):
        client.send({"action": "subscribe", "mine": True})
    operation_id = begun(driver)
    driver.sleep(SOON)
    assert {name for name, _ in operations(own)} == {operation_id}
    assert operations(stranger) == []
    late = connect(driver)
    late.send({"action": "subscribe", "mine": True})
    assert {name for name, _ in operations(late)} == {operation_id}, "though it was begun before"
    # Whoever may read an operation at its route may watch it, too.
    assert stranger.send({"action": "subscribe", "operation_id": operation_id})[0]["operation_id"] == operation_id


def test_who_watches_all_hears_what_others_begin_from_its_start_and_what_aws_tells_of_any_cluster(
    driver_of_base: Driver,
) -> None:
    driver, host = driver_of_base, driver_of_base.host
    stranger = connect_as(driver, "stranger", Scope.READ)
    [answer] = stranger.send({"action": "subscribe", "all": True})
    assert (answer["type"], answer["topic"], answer["complete"]) == ("subscribed", "all", True)
    begun_by_others = {begun(driver, "other"), driver.post("/api/clusters/base/dependencies")["operation_id"]}
    driver.sleep(SOON)
    assert {operation_id for operation_id, _ in operations(stranger)} == begun_by_others
    for operation_id in begun_by_others:
        assert _told_of(stranger, operation_id)[0]["status"] in ("PENDING", "RUNNING")
        driver.finish(operation_id)
    host.bus.publish(hyperpod_event(host.clock.now()))
    driver.sleep(3)
    for operation_id in begun_by_others:
        # No more and no less than its route gives to whoever may read.
        assert _told_of(stranger, operation_id)[-1] == driver.operation(operation_id)
    [told] = of_type(stranger, "cluster_event")
    assert told["event"] == driver.get("/api/clusters/base/events")["events"][0]
    assert of_type(stranger, "audit") == [], "which is for those who watch one operation"


def test_whoever_comes_to_watch_all_is_told_what_goes_on_and_not_what_has_ended(driver: Driver) -> None:
    ended, going = begun(driver, "ended"), begun(driver, "going")
    driver.cancel(ended)
    driver.finish(ended)
    late = connect_as(driver, "stranger", Scope.READ)
    answers = late.send({"action": "subscribe", "all": True})
    assert [answer.get("operation_id") for answer in answers] == [going, None]
    assert answers[-1]["complete"] is True


def test_a_change_is_told_once_to_who_watches_it_in_several_ways(driver: Driver) -> None:
    operation_id = begun(driver)
    client, single = connect(driver), connect(driver)
    single.send({"action": "subscribe", "operation_id": operation_id})
    for topic in ({"operation_id": operation_id}, {"cluster_tag": "watched"}, {"mine": True}, {"all": True}):
        client.send({"action": "subscribe", **topic})
    before, before_of_single = len(client.received), len(single.received)
    driver.cancel(operation_id)
    driver.finish(operation_id)
    driver.sleep(SOON)
    assert len(client.received) > before + 1
    assert client.received[before:] == single.received[before_of_single:]


def test_who_may_not_read_lists_nothing_and_watches_nothing(driver: Driver) -> None:
    client = connect(driver)
    # A connection keeps the scopes of its ticket; one of somebody who may not read does not come about.
    driver.host.client("dynamodb").update_item(
        TableName="instantstart-connections",
        Key={"connection_id": {"S": client.connection_id}},
        UpdateExpression="SET caller.scopes = :scopes",
        ExpressionAttributeValues={":scopes": {"L": [{"S": Scope.OPERATE.value}]}},
    )
    [answer] = client.send({"action": "subscribe", "all": True})
    assert cast("Json", answer["problem"])["code"] == "forbidden"
    begun(driver)
    driver.sleep(SOON)
    assert operations(client) == []


def _told_of(client: SocketClient, operation_id: str) -> list[Json]:
    messages = [each for each in of_type(client, "operation") if each["operation_id"] == operation_id]
    return [message["operation"] for message in messages]


def test_who_unsubscribes_or_closes_hears_nothing_more(driver: Driver) -> None:
    operation_id = begun(driver)
    gone, left = connect(driver), connect(driver)
    for client in (gone, left):
        for topic in ({"operation_id": operation_id}, {"all": True}):
            client.send({"action": "subscribe", **topic})
    for topic in ({"operation_id": operation_id}, {"all": True}):
        left.send({"action": "unsubscribe", **topic})
    gone.close()
    before = len(left.received), len(gone.received)
    driver.cancel(operation_id)
    driver.sleep(SOON)
    assert (len(left.received), len(gone.received)) == before
    assert [row["connection_id"]["S"] for row in rows(driver, "connections")["Items"]] == [left.connection_id]
