"""Drift from its making to its end: each change by hand is named, a repair mends all, a second one does nothing."""

from __future__ import annotations

import pytest

from infra.local.faults import Call
from tests.host.driver import Driver, Json, stage_of, statuses
from tests.workflows import drifting
from tests.workflows.drifting import EVERY, TAG, detected, in_sync, told

REPAIR = f"/api/clusters/{TAG}/repair"
_READING = ("Describe", "Get", "List", "Head", "Detect", "GET ", "HEAD ")
# How the control plane works, and what only opens a door.
_OWN = {"dynamodb", "stepfunctions", "lambda", "sts", "logs"}


def preview(driver: Driver, body: Json | None = None) -> Json:
    answer = driver.send("POST", f"{REPAIR}?dry_run=true", body)
    assert answer.status == 200, answer
    return answer.body


def writes(heard: list[Call]) -> list[str]:
    ours = [each for each in heard if each.service not in _OWN and "local-host" not in each.role]
    return [f"{each.service} {each.operation}" for each in ours if not each.operation.startswith(_READING)]


def test_everything_that_was_changed_by_hand_is_named_and_mended_and_a_second_repair_writes_nothing(
    driver_of_ready: Driver,
) -> None:
    driver = driver_of_ready
    expected = {found for change in EVERY for found in change(driver)}
    report = detected(driver)
    assert told(report) == expected
    assert (report["in_sync"], report["unknown"]) == ("False", [])
    assert in_sync(driver) == ("False", "Drifted")
    before = preview(driver)["preview"]
    assert {(each["resource"], each["name"]) for each in before["changes"]} >= {
        (each["kind"], each["resource"]) for each in report["drifts"]
    }
    operation = driver.finish(driver.post(f"{REPAIR}?confirm={before['digest']}")["operation_id"])
    assert operation["status"] == "SUCCEEDED", operation["error"]
    after = driver.get(f"/api/clusters/{TAG}/drift")
    assert (after["drifts"], after["unknown"], after["operation_id"]) == ([], [], operation["operation_id"])
    assert in_sync(driver) == ("True", "InSync")
    # By now there is nothing to do, and nothing is done.
    assert preview(driver)["preview"]["changes"] == []
    heard: list[Call] = []
    with driver.host.faults.overheard(heard.append):
        again = driver.run(REPAIR)
    assert (again["status"], writes(heard)) == ("SUCCEEDED", [])
    assert detected(driver)["in_sync"] == "True"
