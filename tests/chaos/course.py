"""The courses of a creation, a deletion, a repair and an import, stage by stage: the host before each, and its calls.

A cluster is created phase by phase, which has the stages of `create_cluster` in the same order and lets a trial end
with its phase. An operation is cut before a stage by letting the ledger refuse its beginning. So the state of a stage
is that of an operation that ended before it, and its retry begins with that very stage: calls count from the retry.

A repair is one phase more: of a cluster that was changed by hand in every way, after a detection has found it all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from infra.local.demo.foreign import Maker
from infra.local.faults import Call, Fault, Kind
from infra.local.images import HostSnapshot
from infra.local.inventory import Inventory, differences, taken
from tests.host.by_hand import EVERY, ByHand
from tests.host.driver import Driver, Json, cluster_request, hyperpod_request

TAG = "chaos"
PHASES = ("foundation", "dependencies", "hyperpod", "storage")
REPAIR = "repair"
IMPORT = "import"
# An EKS cluster that others made, and the tag that it is imported under.
FOREIGN = "legacy-1"
# Everything that an import does when it is let.
CONSENTS = {"move_authentication_mode": True, "create_access_entry": True, "tag_subnets": True}
# It is begun and finished; the third would begin the next one.
_TRANSACTIONS_OF_A_STAGE = 2
# The machine tries a beginning six times.
_ATTEMPTS_TO_BEGIN = 6
_TOKEN_SECONDS = 15 * 60
_LEDGER = "function-operations"
# The roles of a deployment end in its region, of which no case is another.
_REGION = "us-west-2"
_PIPELINES = tuple(f"machine-{verb}_" for verb in ("create", "configure", "repair", "import", "delete"))
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
    """What exists when a phase, or a deletion, is done, and the result that its operation then has."""

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


def run_deletion(driver: Driver, tag: str = TAG) -> Course:
    """Create a cluster on an empty host, then go the course of its deletion."""
    before = taken(driver.host)
    assert driver.create(cluster_request(tag))["status"] == "SUCCEEDED"
    return deletion(driver, tag, before)


def deletion(driver: Driver, tag: str, before: Inventory) -> Course:
    """Go the course of a cluster's deletion, bucket and all.

    What has to exist in the end is what there was `before` its creation, and what the preview says it keeps.
    """
    path, query = f"/api/clusters/{tag}", "delete_bucket=true"
    previewed = driver.preview(path, query)["preview"]
    kept = [change for change in previewed["changes"] if change["action"] == "keep"]
    assert all(change["resource"] == "log group" for change in kept), kept
    logs = [f"{change['name'].rpartition('/')[0]}/*" for change in kept]
    with driver.host.faults.planned(_no_more(transactions=0)):
        begun = driver.post(f"{path}?confirm={previewed['digest']}&{query}", method="DELETE")
        cut = driver.finish(begun["operation_id"])
    whole = before | ({"log groups": sorted([*before.get("log groups", []), *logs])} if logs else {})
    return {station.stage: station for station in _stations(driver, tag, "delete", cut, whole)}


def run(driver: Driver, tag: str = TAG, phases: Sequence[str] = PHASES) -> Course:
    """Go the course, or some phases of it, on a host where the phases before them are done."""
    return {station.stage: station for phase in phases for station in _phase(driver, tag, phase)}


def _request(tag: str, phase: str) -> tuple[str, Json]:
    if phase == "foundation":
        return "/api/clusters", {"tag": tag}
    if phase == IMPORT:
        return "/api/clusters/import", {"eks_cluster_name": tag, "tag": tag, "consents": CONSENTS}
    return f"/api/clusters/{tag}/{phase}", hyperpod_request() if phase == "hyperpod" else {}


def run_repair(driver: Driver, tag: str = TAG) -> Course:
    """Create a cluster on an empty host, change it by hand, then go the course of its repair."""
    assert driver.create(cluster_request(tag))["status"] == "SUCCEEDED"
    return of_repair(driver, tag)


def run_import(driver: Driver, name: str = FOREIGN) -> Course:
    """Make an EKS cluster as others do, then go the course of its import with every consent."""
    Maker(driver.host).cluster(name, 60, mode="CONFIG_MAP")
    return run(driver, name, [IMPORT])


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
    yield from _stations(driver, tag, phase, operation, until=until)


def _stations(
    driver: Driver, tag: str, course: str, operation: Json, wanted: Inventory | None = None, until: str | None = None
) -> Iterator[Station]:
    """Retry an operation stage by stage; `wanted` is what has to exist in the end, if that is known beforehand."""
    halts: list[_Halt] = []
    every = [each["name"] for each in operation["stages"]]
    stages = every[: every.index(until) + 1] if until else every
    for stage in stages:
        assert operation["status"] == "FAILED", operation
        state, ended = driver.host.snapshot(), operation["operation_id"]
        faults = [] if stage == stages[-1] else [_no_more(_TRANSACTIONS_OF_A_STAGE)]
        heard, operation = _retried(driver, ended, faults)
        halts.append(_Halt(f"{course}/{stage}", state, ended, heard))
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert wanted is None or differences(taken(driver.host), wanted) == []
    goal = Goal(tag, taken(driver.host) if wanted is None else wanted, operation["result"])
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
        return cls(call.service, call.operation, call.role.rpartition("/")[2].removesuffix(f"-{_REGION}"))

    @property
    def starts_a_stage(self) -> bool:
        return self.operation == "StartExecution" and any(machine in self.role for machine in _PIPELINES)

    @property
    def is_a_transaction(self) -> bool:
        return self.operation == "TransactWriteItems" and _LEDGER in self.role
