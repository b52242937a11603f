"""The course of a creation or a repair, stage by stage: the host before each stage, and the calls that it makes.

A cluster is created phase by phase, which has the stages of `create_cluster` in the same order and lets a trial end
with its phase. An operation is cut before a stage by letting the ledger refuse its beginning. So the state of a stage
is that of an operation that ended before it, and its retry begins with that very stage: calls count from the retry.

A repair is one phase more: of a cluster that was changed by hand in every way, after a detection has found it all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from infra.local.faults import Call, Fault, Kind
from infra.local.images import HostSnapshot
from tests.chaos.inventory import Inventory, taken
from tests.host.by_hand import EVERY, ByHand
from tests.host.driver import Driver, Json, hyperpod_request

TAG = "chaos"
PHASES = ("foundation", "dependencies", "hyperpod", "storage")
REPAIR = "repair"
# It is begun and finished; the third would begin the next one.
_TRANSACTIONS_OF_A_STAGE = 2
# The machine tries a beginning six times.
_ATTEMPTS_TO_BEGIN = 6
_TOKEN_SECONDS = 15 * 60
_LEDGER = "function-operations"
_PIPELINES = ("machine-create_", "machine-configure_", "machine-repair_")
# What answers people and sweeps is no stage's doing.
_OTHERS = ("function-api", "function-events", "local-host")
# On AWS `.sync` is told of the end of a child.
_NOT_MADE_ON_AWS = ("stepfunctions", "DescribeExecution")


@dataclass(frozen=True)
class Occurrences:
    """What a stage calls under a role: the numbers of its first and its last call, counted from the retry."""

    service: str
    operation: str
    role: str
    first: int
    last: int


@dataclass(frozen=True)
class Goal:
    """What exists of a cluster when a phase is done, and the result that its operation then has."""

    tag: str
    made: Inventory
    result: Json


@dataclass(frozen=True)
class Station:
    """A stage: the host before it, the operation that ended there, and what the stage calls."""

    stage: str
    state: HostSnapshot
    operation_id: str
    calls: tuple[Occurrences, ...]
    goal: Goal


Course = dict[str, Station]
"""The stations in order, by `<phase>/<stage>`."""


@dataclass(frozen=True)
class _Halt:
    """The state before a stage, and what is heard from there to the next halt."""

    stage: str
    state: HostSnapshot
    operation_id: str
    heard: list[Call]


def run(driver: Driver, tag: str = TAG, phases: Sequence[str] = PHASES) -> Course:
    """Go the course, or some phases of it, on a host where the phases before them are done."""
    return {station.stage: station for phase in phases for station in _phase(driver, tag, phase)}


def _request(tag: str, phase: str) -> tuple[str, Json]:
    if phase == "foundation":
        return "/api/clusters", {"tag": tag}
    return f"/api/clusters/{tag}/{phase}", hyperpod_request() if phase == "hyperpod" else {}


def of_repair(
    driver: Driver, tag: str, changes: Sequence[Callable[[ByHand], object]] = EVERY, until: str | None = None
) -> Course:
    """Go the course of a repair on a host where the cluster stands, and is changed by hand; `until` a stage only."""
    hand = ByHand(driver, tag)
    for change in changes:
        change(hand)
    assert hand.detected()["drifts"]
    return {station.stage: station for station in _phase(driver, tag, REPAIR, until)}


def _phase(driver: Driver, tag: str, phase: str, until: str | None = None) -> Iterator[Station]:
    operation = driver.failing(*_request(tag, phase), _no_more(transactions=0))
    halts: list[_Halt] = []
    every = [each["name"] for each in operation["stages"]]
    stages = every[: every.index(until) + 1] if until else every
    for stage in stages:
        assert operation["status"] == "FAILED", operation
        state, ended = driver.host.snapshot(), operation["operation_id"]
        faults = [] if stage == stages[-1] else [_no_more(_TRANSACTIONS_OF_A_STAGE)]
        heard, operation = _retried(driver, ended, faults)
        halts.append(_Halt(f"{phase}/{stage}", state, ended, heard))
    assert operation["status"] == "SUCCEEDED", operation["error"]
    goal = Goal(tag, taken(driver, tag), operation["result"])
    for place, halt in enumerate(halts):
        calls = tuple(_of_stage(halt.heard, place, place == len(every) - 1))
        yield Station(halt.stage, halt.state, halt.operation_id, calls, goal)


def let_tokens_expire(driver: Driver) -> None:
    """Let the functions sign in to clusters anew, so that a stage makes the same calls whenever it runs."""
    with driver.host.schedules_held():
        driver.sleep(_TOKEN_SECONDS)


def _no_more(transactions: int) -> Fault:
    first = transactions + 1
    return Fault("dynamodb", "TransactWriteItems", Kind.DENY, first, _ATTEMPTS_TO_BEGIN, role=_LEDGER)


def _retried(driver: Driver, operation_id: str, faults: Sequence[Fault]) -> tuple[list[Call], Json]:
    heard: list[Call] = []
    let_tokens_expire(driver)
    with driver.host.faults.overheard(heard.append), driver.host.faults.planned(*faults):
        return heard, driver.retry(operation_id)


def _of_stage(heard: Sequence[Call], place: int, last: bool) -> Iterator[Occurrences]:
    """Count the calls from the start of the stage's execution to the write of its end, or of the operation's."""
    ours = [_Named.of(call) for call in heard if not any(other in call.role for other in _OTHERS)]
    starts = [at for at, call in enumerate(ours) if call.starts_a_stage]
    writes = [at for at, call in enumerate(ours) if call.is_a_transaction]
    begin, end = starts[place], len(ours) if last else writes[_TRANSACTIONS_OF_A_STAGE - 1] + 1
    before, all_of_them = Counter(ours[:begin]), Counter(ours[:end])
    for call in dict.fromkeys(ours[begin:end]):
        if (call.service, call.operation) != _NOT_MADE_ON_AWS:
            yield Occurrences(call.service, call.operation, call.role, before[call] + 1, all_of_them[call])


@dataclass(frozen=True)
class _Named:
    service: str
    operation: str
    role: str

    @classmethod
    def of(cls, call: Call) -> _Named:
        return cls(call.service, call.operation, call.role.rpartition("/")[2])

    @property
    def starts_a_stage(self) -> bool:
        return self.operation == "StartExecution" and any(machine in self.role for machine in _PIPELINES)

    @property
    def is_a_transaction(self) -> bool:
        return self.operation == "TransactWriteItems" and _LEDGER in self.role
