"""WebSockets that drop, die or cannot be reached: nobody loses anything, and nobody waits for them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, cast

import pytest

from functions.connections.records import LIFETIME
from functions.connections.replay import OVERLAP
from functions.core.declaration import Scope
from infra.local.faults import Fault, Kind
from infra.local.websocket import GOING_AWAY, IDLE_SECONDS
from tests.host.driver import Driver, Json
from tests.host.sockets import SOON, begun, connect, connect_as, hyperpod_event, of_type, operations, rows


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
    # What changed shortly before is told again, to be safe; here that is over.
    driver.sleep(OVERLAP.total_seconds() + 60)
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


def test_who_dropped_while_watching_all_is_told_what_others_did_and_that_events_of_aws_are_missing(
    driver: Driver,
) -> None:
    going = begun(driver, "going")
    client = connect_as(driver, "stranger", Scope.READ)
    client.send({"action": "subscribe", "all": True})
    driver.sleep(OVERLAP.total_seconds() + 60)
    client.vanish()
    left = driver.host.clock.now()
    driver.sleep(OVERLAP.total_seconds() + 60)
    driver.cancel(going)
    ended, meanwhile = driver.finish(going), begun(driver, "meanwhile")
    back = connect_as(driver, "stranger", Scope.READ)
    answers = back.send({"action": "subscribe", "all": True, "after": left.isoformat()})
    assert [answer.get("operation_id") for answer in answers] == [going, meanwhile, None]
    assert answers[0]["operation"] == ended
    # Nobody can tell whether AWS told something of some cluster: the lists have to be read.
    assert answers[-1]["complete"] is False


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
    # The service tells whole seconds.
    assert abs(looked["ConnectedAt"] - host.clock.now()) < timedelta(seconds=1)
    assert looked["Identity"] == {"SourceIp": "127.0.0.1", "UserAgent": ""}
    with pytest.raises(api.exceptions.PayloadTooLargeException):
        api.post_to_connection(ConnectionId=client.connection_id, Data=b" " * (128 * 1024 + 1))
    api.delete_connection(ConnectionId=client.connection_id)
    assert client.closed is not None
    for call in (api.get_connection, api.delete_connection):
        with pytest.raises(api.exceptions.GoneException):
            call(ConnectionId=client.connection_id)
    with pytest.raises(api.exceptions.GoneException):
        api.post_to_connection(ConnectionId="never=", Data=b"{}")
