"""WebSockets: who may open one, what it says of operations and clusters, and that a dropped one loses nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

import pytest

from functions.connections import tickets
from functions.connections.records import LIFETIME
from functions.connections.replay import OVERLAP
from functions.connections.rules import MAX_TOPICS
from functions.core import runtime
from functions.core.caller import Caller
from functions.core.declaration import Scope
from functions.core.ledger.models import Channel
from infra.local.faults import Fault, Kind
from infra.local.simulators.bus_event import BusEvent
from infra.local.socket_client import SocketClient
from infra.local.websocket import GOING_AWAY, IDLE_SECONDS, TOO_BIG, ConnectionRefused
from tests.host.driver import Driver, Json

if TYPE_CHECKING:
    from types_boto3_dynamodb.type_defs import ScanOutputTypeDef

# A change reaches its subscribers within a fraction of a second.
SOON = 1.0


def connect(driver: Driver) -> SocketClient:
    return driver.host.websocket(driver.send("POST", "/api/tickets").body["ticket"])


def connect_as(driver: Driver, caller: str, *scopes: Scope) -> SocketClient:
    """Connect as somebody that the local host's one caller is not."""
    claims = Caller(id=caller, scopes=frozenset(scopes), client="test", channel=Channel.REST)
    with runtime.bound(driver.host.functions.environment("api").runtime):
        ticket = tickets.issue(claims).ticket
    return driver.host.websocket(ticket)


def refusal(call: Callable[[], SocketClient]) -> int:
    with pytest.raises(ConnectionRefused) as refused:
        call()
    return refused.value.status


def operations(client: SocketClient) -> list[tuple[str, int]]:
    """The operations and versions that a client was told of."""
    told = [message for message in client.received if message["type"] == "operation"]
    return [(str(message["operation_id"]), cast("int", message["version"])) for message in told]


def of_type(client: SocketClient, kind: str) -> list[Json]:
    return [dict(message) for message in client.received if message["type"] == kind]


def rows(driver: Driver, table: str) -> ScanOutputTypeDef:
    return driver.host.client("dynamodb").scan(TableName=f"instantstart-{table}")


def begun(driver: Driver, tag: str = "watched") -> str:
    return str(driver.post("/api/clusters", {"tag": tag})["operation_id"])


def hyperpod_event(at: datetime, status: str = "InService", cluster: str = "hp-cluster-base") -> BusEvent:
    detail: dict[str, Any] = {"ClusterName": cluster, "ClusterStatus": status, "FailureMessage": ""}
    return BusEvent("aws.sagemaker", "SageMaker HyperPod Cluster State Change", detail, (), at)


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
    # Whoever may read an operation at its route may watch it, too.
    assert stranger.send({"action": "subscribe", "operation_id": operation_id})[0]["operation_id"] == operation_id


def test_who_unsubscribes_or_closes_hears_nothing_more(driver: Driver) -> None:
    operation_id = begun(driver)
    gone, left = connect(driver), connect(driver)
    for client in (gone, left):
        client.send({"action": "subscribe", "operation_id": operation_id})
    left.send({"action": "unsubscribe", "operation_id": operation_id})
    gone.close()
    before = len(left.received), len(gone.received)
    driver.cancel(operation_id)
    driver.sleep(SOON)
    assert (len(left.received), len(gone.received)) == before
    assert [row["connection_id"]["S"] for row in rows(driver, "connections")["Items"]] == [left.connection_id]


# -- what breaks


@pytest.mark.case(73)
def test_a_dead_connection_is_forgotten_and_holds_up_nobody(driver: Driver) -> None:
    operation_id = begun(driver)
    dead, alive = connect(driver), connect(driver)
    for client in (dead, alive):
        client.send({"action": "subscribe", "operation_id": operation_id})
    dead.vanish()
    driver.cancel(operation_id)
    driver.sleep(SOON)
    assert of_type(alive, "operation")[-1]["operation"] == driver.operation(operation_id)
    assert [row["connection_id"]["S"] for row in rows(driver, "connections")["Items"]] == [alive.connection_id]


@pytest.mark.case(73)
def test_who_dropped_goes_on_where_it_was_without_loss(driver: Driver) -> None:
    operation_id = begun(driver)
    client = connect(driver)
    client.send({"action": "subscribe", "operation_id": operation_id})
    driver.until_said(operation_id, "foundation", "CREATE_IN_PROGRESS")
    driver.sleep(OVERLAP.total_seconds() + 1)
    seen, at = operations(client)[-1][1], driver.host.clock.now()
    client.vanish()
    driver.sleep(120)
    driver.cancel(operation_id)
    ended = driver.finish(operation_id)
    resumed = connect(driver)
    resume = {"action": "subscribe", "operation_id": operation_id, "after_version": seen, "after": at.isoformat()}
    answers = resumed.send(resume)
    assert [answer["type"] for answer in answers] == ["operation", "audit", "subscribed"]
    assert answers[0]["operation"] == ended
    assert cast("Json", answers[1]["entry"])["action"] == "cancel"
    # Who has seen all of it is told nothing again.
    seen_all = {"action": "subscribe", "operation_id": operation_id, "after_version": ended["version"]}
    assert [answer["type"] for answer in resumed.send(seen_all)] == ["subscribed"]


def test_who_dropped_hears_of_cluster_events_that_came_late_and_of_operations_that_ended(
    driver_of_base: Driver,
) -> None:
    driver, host = driver_of_base, driver_of_base.host
    left = host.clock.now()
    driver.sleep(600)
    operation = driver.run("/api/clusters/base/dependencies")
    # It happened before the client left, and came after.
    host.bus.publish(hyperpod_event(left - timedelta(hours=1)))
    driver.sleep(SOON)
    client = connect(driver)
    answers = client.send({"action": "subscribe", "cluster_tag": "base", "after": left.isoformat()})
    assert [answer["type"] for answer in answers] == ["operation", "cluster_event", "subscribed"]
    assert answers[0]["operation"] == operation
    assert answers[-1]["complete"] is True
    now = host.clock.now() + timedelta(hours=1)
    later = client.send({"action": "subscribe", "cluster_tag": "base", "after": now.isoformat()})
    assert [answer["type"] for answer in later] == ["subscribed"]


def throttled(first: int, times: int) -> Fault:
    return Fault(
        "apigatewaymanagementapi",
        "PostToConnection",
        Kind.REFUSE,
        first=first,
        times=times,
        role="function-push",
        refusal=("LimitExceededException", "Rate exceeded"),
    )


def test_who_could_not_be_reached_is_told_again_and_the_others_at_once(driver: Driver) -> None:
    operation_id = begun(driver)
    clients = [connect(driver), connect(driver)]
    for client in clients:
        client.send({"action": "subscribe", "operation_id": operation_id})
    driver.sleep(SOON)
    # Every attempt of the first post fails; the next one's do not.
    with driver.host.faults.planned(throttled(1, 4)):
        driver.cancel(operation_id)
        driver.sleep(30)
    wanted = driver.operation(operation_id)
    assert [of_type(client, "operation")[-1]["version"] for client in clients] == [wanted["version"]] * 2
    assert driver.host.streams.lost("instantstart-operations") == []


def test_who_cannot_be_reached_for_long_is_cut_off_and_may_come_back(driver: Driver) -> None:
    operation_id = begun(driver)
    client = connect(driver)
    client.send({"action": "subscribe", "operation_id": operation_id})
    driver.sleep(SOON)
    with driver.host.faults.planned(throttled(1, 1000)):
        driver.cancel(operation_id)
        driver.sleep(300)
    assert client.closed is not None
    assert rows(driver, "connections")["Items"] == []
    assert driver.host.streams.lost("instantstart-operations") == []
    back = connect(driver)
    assert back.send({"action": "subscribe", "operation_id": operation_id})[0]["type"] == "operation"


def test_silence_closes_a_connection_after_ten_minutes_and_a_ping_keeps_it_for_two_hours(driver: Driver) -> None:
    silent, lively = connect(driver), connect(driver)
    began = driver.host.clock.now()
    while lively.closed is None:
        lively.send({"action": "ping"})
        driver.sleep(IDLE_SECONDS - 60)
        if silent.closed is None:
            assert driver.host.clock.now() - began < timedelta(seconds=IDLE_SECONDS)
    lasted = driver.host.clock.now() - began
    assert (silent.closed, lively.closed) == (GOING_AWAY, GOING_AWAY)
    assert LIFETIME <= lasted < LIFETIME + timedelta(seconds=IDLE_SECONDS)
    assert rows(driver, "connections")["Items"] == []


# -- the management API


def test_the_management_api_looks_at_connections_and_closes_them(driver: Driver) -> None:
    client = connect(driver)
    host = driver.host
    session = host.sessions.of(host.identities.of_role("arn:aws:iam::123456789012:role/someone"))
    api: Any = session.create_client("apigatewaymanagementapi", endpoint_url=host.sockets.endpoint)
    api.post_to_connection(ConnectionId=client.connection_id, Data=b'{"type": "told"}')
    assert client.received == [{"type": "told"}]
    looked = api.get_connection(ConnectionId=client.connection_id)
    assert looked["ConnectedAt"] == host.clock.now().replace(microsecond=0).astimezone(UTC)
    with pytest.raises(api.exceptions.PayloadTooLargeException):
        api.post_to_connection(ConnectionId=client.connection_id, Data=b" " * (128 * 1024 + 1))
    api.delete_connection(ConnectionId=client.connection_id)
    assert client.closed is not None
    for call in (api.get_connection, api.delete_connection):
        with pytest.raises(api.exceptions.GoneException):
            call(ConnectionId=client.connection_id)
    with pytest.raises(api.exceptions.GoneException):
        api.post_to_connection(ConnectionId="never=", Data=b"{}")
