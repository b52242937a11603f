"""What the tests of the catalog share: an answer with the calls to AWS and to the tables that it took."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from infra.local.faults import Call, Fault, Kind
from tests.host.driver import Driver

Json = dict[str, Any]
ROOT = "/api/catalog"


def asked(driver: Driver, path: str) -> tuple[Json, dict[str, int]]:
    """Ask the catalog, and count the calls that its function made meanwhile."""
    calls = Counter[str]()

    def note(call: Call) -> None:
        if "function-catalog" in call.role:
            calls[call.operation] += 1

    with driver.host.faults.overheard(note):
        body = driver.get(f"{ROOT}/{path}")
    return body, dict(calls)


def cool(driver: Driver) -> None:
    """Let the catalog forget what it keeps while it is warm, whichever test warmed it."""
    environment = driver.host.functions.environment("catalog")
    environment.runtime = replace(environment.runtime, _kept={})


def refused(driver: Driver, path: str) -> tuple[int, str, list[str] | None]:
    """Ask what is refused: the status, the field and what would be right."""
    answer = driver.send("GET", f"{ROOT}/{path}")
    error = answer.body["errors"][0]
    return answer.status, error["field"], error.get("allowed")


def without(driver: Driver, service: str, operation: str, path: str, kind: Kind = Kind.DENY) -> Json:
    """Ask the catalog while one operation of AWS fails each time."""
    with driver.host.faults.planned(Fault(service, operation, kind, times=1_000)):
        return driver.get(f"{ROOT}/{path}")


def unknown_parts(body: Json) -> list[str]:
    """Name the parts that an answer calls unknown."""
    return [each["part"] for each in body["unknown"]]
