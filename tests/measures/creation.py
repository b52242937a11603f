"""What one create_cluster costs: its calls, its state transitions, money, and the time that is our own doing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from infra.local.faults import HOST_ROLE, Call
from tests.host.driver import Driver, Json, cluster_request
from tests.measures.readiness import Readiness

# The interpreter asks how a child stands; on AWS `.sync` is told by an event.
_NOT_MADE_ON_AWS = ("stepfunctions", "DescribeExecution")
_MACHINES = "instantstart-machine-"


@dataclass(frozen=True)
class Own:
    """A stage: how long it took, and how much of that was left when what it makes was ready."""

    stage: str
    seconds: float
    own_seconds: float


@dataclass(frozen=True)
class Measured:
    """One creation in numbers; `calls` are by service."""

    operation: Json
    calls: Counter[str]
    ledger: Counter[str]
    transitions: int
    stages: tuple[Own, ...]

    @property
    def invocations(self) -> int:
        """Say how often Lambda ran a function of ours for this operation: each turn and step, and the request."""
        return self.calls["lambda"] + 1


def measure(driver: Driver, tag: str = "measured") -> Measured:
    """Create a cluster and count; what other operations do meanwhile would be counted too."""
    calls: Counter[tuple[str, str]] = Counter()
    readiness = Readiness(driver, tag)
    with _counted(driver, calls), readiness.watched():
        operation = driver.create(cluster_request(tag))
    transitions = sum(len(driver.states(machine, operation["operation_id"])) for machine in ("create_cluster", "stage"))
    by_service = Counter[str]()
    for (service, _), count in calls.items():
        by_service[service] += count
    ledger = Counter({name: count for (service, name), count in calls.items() if service == "dynamodb"})
    return Measured(operation, by_service, ledger, transitions, tuple(_owns(operation, readiness)))


@contextmanager
def _counted(driver: Driver, calls: Counter[tuple[str, str]]) -> Iterator[None]:
    def heard(call: Call) -> None:
        """Count what the operation makes happen: not what reads it, sweeps, or what simulators ask each other."""
        others = call.role.endswith(HOST_ROLE) or "function-events-" in call.role or _is_reading(call)
        if not others and call[:2] != _NOT_MADE_ON_AWS:
            calls[call.service, call.operation] += 1

    with driver.host.faults.overheard(heard):
        yield


def _is_reading(call: Call) -> bool:
    return "function-api-" in call.role and call[:2] == ("dynamodb", "Query")


def _owns(operation: Json, readiness: Readiness) -> Iterator[Own]:
    for stage in operation["stages"]:
        started, finished = (datetime.fromisoformat(stage[name]).timestamp() for name in ("started_at", "finished_at"))
        ready = readiness.of(stage["name"], started)
        yield Own(stage["name"], finished - started, finished - max(started, ready))
