"""Who watches the main job sees every stage of it come and go."""

from __future__ import annotations

import json
from datetime import datetime
from functools import reduce
from typing import cast

from tests.host.driver import Driver, Json, cluster_request

# In this order a stage goes; SKIPPED ones do not move.
WAY = ["PENDING", "RUNNING", "SUCCEEDED"]
# Two changes closer together than this may be told as one: a message says how things stand, not what was written.
TOLD_APART_SECONDS = 1


def test_a_subscriber_sees_every_stage_of_a_new_cluster_in_order_up_to_its_end(driver: Driver) -> None:
    client = driver.host.websocket(driver.send("POST", "/api/tickets").body["ticket"])
    client.send({"action": "subscribe", "mine": True})
    # Whatever the order in which AWS's events come, and however often.
    with driver.host.bus.disordered(copies=3, spread=90):
        operation = driver.create(cluster_request("watched"))
    driver.sleep(1)
    told = [cast("Json", message["operation"]) for message in client.received if message["type"] == "operation"]
    versions = [each["version"] for each in told]
    assert versions == sorted(set(versions))
    assert told[-1] == operation
    # A task token lets its holder go on for the stage.
    assert "await_token" not in json.dumps(client.received)
    assert operation["status"] == "SUCCEEDED"
    lasting = [stage["name"] for stage in operation["stages"] if _seconds(stage) > TOLD_APART_SECONDS]
    for stage in operation["stages"]:
        seen = _distinct([_status(each, stage["name"]) for each in told])
        assert seen == [status for status in WAY if status in seen]
        assert seen[-1] == "SUCCEEDED"
        assert "RUNNING" in seen or stage["name"] not in lasting
    assert {"foundation", "hyperpod_cluster"} <= set(lasting)


def _status(operation: Json, name: str) -> str:
    return str(next(stage["status"] for stage in operation["stages"] if stage["name"] == name))


def _distinct(statuses: list[str]) -> list[str]:
    def extend(seen: list[str], status: str) -> list[str]:
        return seen if seen[-1:] == [status] else [*seen, status]

    return reduce(extend, statuses, [])


def _seconds(stage: Json) -> float:
    return (datetime.fromisoformat(stage["finished_at"]) - datetime.fromisoformat(stage["started_at"])).total_seconds()
