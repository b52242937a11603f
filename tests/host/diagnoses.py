"""What the tests of diagnoses share: a diagnosis, its findings, and the calls that it took."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from infra.local.faults import Call, Fault, Kind
from tests.host.driver import Driver

Json = dict[str, Any]
SIZE_LIMIT = 16 * 1024


def diagnosed(driver: Driver, tag: str, query: str = "") -> Json:
    """Diagnose a cluster; every answer is small enough, and in the order of its weight."""
    body = driver.get(f"/api/clusters/{tag}/diagnosis{query}")
    assert len(json.dumps(body)) < SIZE_LIMIT
    ranks = [("FAIL", "WARN", "INFO", "PASS").index(each["status"]) for each in body["checks"]]
    assert ranks == sorted(ranks)
    return body


def counted(driver: Driver, tag: str) -> tuple[Json, dict[str, int]]:
    """Diagnose, and count the calls that the function made meanwhile."""
    calls = Counter[str]()

    def note(call: Call) -> None:
        if "function-diagnostics" in call.role:
            calls[f"{call.service} {call.operation}"] += 1

    with driver.host.faults.overheard(note):
        body = diagnosed(driver, tag)
    return body, dict(calls)


def without(driver: Driver, tag: str, service: str, operation: str, kind: Kind = Kind.DENY) -> Json:
    """Diagnose while one operation of AWS fails each time that this function asks."""
    fault = Fault(service, operation, kind, times=1_000, role="function-diagnostics")
    with driver.host.faults.planned(fault):
        return diagnosed(driver, tag)


def found(body: Json, check: str) -> Json:
    """The heaviest finding of a check."""
    return next(each for each in body["checks"] if each["check"] == check)


def wrong(body: Json) -> set[tuple[str, str, str]]:
    """What is wrong: check, status and priority."""
    return {
        (each["check"], each["status"], each["priority"])
        for each in body["checks"]
        if each["status"] in ("FAIL", "WARN")
    }


def facts(check: Json) -> dict[str, Any]:
    """The evidence of a check, by name."""
    return {each["name"]: each["value"] for each in check["evidence"]}


def unchecked(body: Json) -> set[str]:
    """The checks that could not be made."""
    return {each["check"] for each in body["checks"] if each["message"].startswith("unchecked: ")}
