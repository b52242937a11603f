"""What must be true after a fault: the named checks on the ledger, on the world and on the failure's words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from http import HTTPStatus
from typing import Final

from functions.clusters.verification.findings.rules import NOT_LOOKED_AT
from infra.local.faults import Fault, Kind
from infra.local.inventory import differences, taken
from infra.topology import MACHINES
from tests.chaos.cases import Case
from tests.chaos.course import Goal
from tests.host.driver import TERMINAL, Driver, Json

STANDING: Final = {"SUCCEEDED", "SKIPPED"}
_LEASES: Final = "instantstart-clusters"
# Helm leaves its release pending and says nothing when it may not write the end down; the stage then rolls it back.
_PASSED_OVER_BY_HELM: Final = ("kubernetes", "PUT secrets")
_ADMIN: Final = "instantstart-kubernetes-admin"
# The remedy of a refusal says what to grant, or where the right comes from.
_RIGHTS: Final = ("grant", "rights", "access entry", "give ")


class Trial:
    """A case that has been played: the operation that the fault met and the one that ended it all."""

    def __init__(self, driver: Driver, goal: Goal, case: Case, fault: Fault, met: Json, final: Json) -> None:
        self.driver = driver
        self.goal = goal
        self.case = case
        self.fault = fault
        self.met = met
        self.final = final

    @property
    def failed(self) -> bool:
        return bool(self.met["status"] != "SUCCEEDED")


Check = Callable[[Trial], Iterator[str]]


def judge(trial: Trial) -> dict[str, list[str]]:
    """Give what is wrong, by the name of the check; nothing when all is right."""
    found = {name: list(check(trial)) for name, check in CHECKS.items()}
    return {name: wrong for name, wrong in found.items() if wrong}


def the_fault_struck(trial: Trial) -> Iterator[str]:
    if trial.fault.seen < trial.fault.first:
        yield f"the call came {trial.fault.seen} times, the fault waited for number {trial.fault.first}"


def the_operation_ends_well(trial: Trial) -> Iterator[str]:
    if trial.final["status"] != "SUCCEEDED":
        yield f"{trial.final['status']}: {trial.final['error']}"
    elif _told_as_unknown(trial):
        return
    elif _named(trial.final["result"]) != _named(trial.goal.result):
        yield f"the result is {trial.final['result']}"


def one_of_each_resource_exists(trial: Trial) -> Iterator[str]:
    yield from differences(taken(trial.driver.host), trial.goal.made)


def the_ledger_is_truthful(trial: Trial) -> Iterator[str]:
    for operation in (trial.met, trial.final):
        yield from (f"{operation['operation_id']}: {wrong}" for wrong in _untruths(operation))


def nothing_is_left_running(trial: Trial) -> Iterator[str]:
    for machine in MACHINES:
        yield from (f"{each['name']} runs" for each in trial.driver.executions(machine.name, "RUNNING"))
    for operation in (trial.met, trial.final):
        names = [each["name"] for each in trial.driver.executions(operation["kind"])]
        if names.count(operation["operation_id"]) != 1:
            yield f"{operation['operation_id']} has {names.count(operation['operation_id'])} executions"


def leases_are_free(trial: Trial) -> Iterator[str]:
    records = trial.driver.host.client("dynamodb").scan(TableName=_LEASES)["Items"]
    for record in records:
        if record["record"]["S"].startswith("lease#") and ("owner" in record or record.get("children", {}).get("SS")):
            yield f"{record['record']['S']} is held by {record.get('owner') or record['children']}"
    cluster = trial.driver.send("GET", f"/api/clusters/{trial.goal.tag}")
    if cluster.status == HTTPStatus.NOT_FOUND:
        yield from _forgotten_in_full(trial, records)
    elif held := cluster.body["active_operation_ids"]:
        yield f"the cluster names {held} as active"


def _forgotten_in_full(trial: Trial, records: Sequence[Mapping[str, object]]) -> Iterator[str]:
    """Say what the ledger still has of a cluster that it does not know any more."""
    left = [record["record"] for record in records if record["cluster_tag"] == {"S": trial.goal.tag}]
    if left or not trial.final["kind"].startswith("delete"):
        yield f"the cluster is unknown, with the records {left}"


def a_failure_names_its_cause(trial: Trial) -> Iterator[str]:
    """A failure that the stage met itself names service and call; one of the control plane is told apart from it."""
    if not trial.failed:
        return
    error, case = trial.met["error"], trial.case
    cause = error["cause"] or {}
    if not error["remedy"]:
        yield "no remedy"
    if case.of_the_stage and not _names(cause, case):
        yield f"the cause names {cause.get('service')} {cause.get('api_call')}: {error}"
    if not case.of_the_stage and not cause.get("service"):
        yield f"the cause names no service: {error}"


def a_refusal_fails_with_the_right_remedy(trial: Trial) -> Iterator[str]:
    """Only the ledger's and the machines' calls are tried again when they are denied; no right comes by itself."""
    if trial.case.kind is not Kind.DENY or not trial.case.of_the_stage:
        return
    if not trial.failed:
        passed = (trial.case.service, trial.case.operation) == _PASSED_OVER_BY_HELM
        if not (passed or _told(trial) or _told_as_unknown(trial)):
            yield "it was passed over"
        return
    remedy = (trial.met["error"]["remedy"] or "").lower()
    if not any(word in remedy for word in _RIGHTS):
        yield f"the remedy speaks of no right: {remedy}"


CHECKS: Final[Mapping[str, Check]] = {
    check.__name__.replace("_", " "): check
    for check in (
        the_fault_struck,
        the_operation_ends_well,
        one_of_each_resource_exists,
        the_ledger_is_truthful,
        nothing_is_left_running,
        leases_are_free,
        a_failure_names_its_cause,
        a_refusal_fails_with_the_right_remedy,
    )
}


def _told(trial: Trial) -> bool:
    """Say whether a stage that only looks told of what it could not look at: that is worth a warning and no failure."""
    name = trial.case.stage.partition("/")[2]
    looked = [stage["result"].get("found", []) for stage in trial.met["stages"] if stage["name"] == name]
    if any(each["state"] == "unknown" and each["why"] for found in looked for each in found):
        return True
    findings = trial.met["result"].get("findings", [])
    return bool(trial.case.stage.endswith("/verify") and [each["check"] for each in findings] == [NOT_LOOKED_AT])


def _told_as_unknown(trial: Trial) -> bool:
    """Say whether a look at somebody else's cluster told that it may not see something, and left the cluster alone.

    A second look that sees everything takes the place of the first; what the first told stays in its message.
    """
    name = trial.case.stage.partition("/")[2]
    if trial.case.kind is not Kind.DENY or not name.startswith("detect_"):
        return False
    told = next(stage["message"] or "" for stage in trial.met["stages"] if stage["name"] == name)
    return "not known" in told or bool((trial.met["result"] or {}).get("unknown"))


def _names(cause: Json, case: Case) -> bool:
    """Say whether a cause names the call that was struck; what helm meets in a cluster, helm tells in its own words."""
    service, call = str(cause.get("service")), str(cause.get("api_call"))
    if service == "helm" and (case.service, case.role) == ("kubernetes", _ADMIN):
        return True
    return service == case.service and all(word in call for word in case.operation.split())


def _untruths(operation: Json) -> Iterator[str]:
    if operation["status"] not in TERMINAL:
        yield f"still {operation['status']}"
        return
    if (operation["error"] is None) != (operation["status"] == "SUCCEEDED"):
        yield f"{operation['status']} with the error {operation['error']}"
    before = operation["started_at"] or operation["created_at"]
    for stage in operation["stages"]:
        yield from (f"{stage['name']}: {wrong}" for wrong in _untruths_of_stage(stage, operation, before))
        before = stage["finished_at"] or before
    if not _at(operation["created_at"]) <= _at(before) <= _at(operation["finished_at"]):
        yield f"finished at {operation['finished_at']}, its last stage at {before}"


def _untruths_of_stage(stage: Json, operation: Json, before: str) -> Iterator[str]:
    status, succeeded = stage["status"], operation["status"] == "SUCCEEDED"
    if succeeded and status not in STANDING:
        yield f"{status} in an operation that succeeded"
    if status == "RUNNING":
        yield "RUNNING for ever"
    if (stage["error"] is not None) != (status == "FAILED"):
        yield f"{status} with the error {stage['error']}"
    if status in ("SUCCEEDED", "FAILED"):
        if stage["attempt"] < 1:
            yield f"{status} after {stage['attempt']} attempts"
        if not (stage["started_at"] and stage["finished_at"] and _at(before) <= _at(stage["started_at"])):
            yield f"from {stage['started_at']} to {stage['finished_at']}, after {before}"
        elif _at(stage["started_at"]) > _at(stage["finished_at"]):
            yield "it ended before it began"
    elif status in ("SKIPPED", "PENDING") and (stage["attempt"] or stage["started_at"] or stage["finished_at"]):
        yield f"{status} with traces of work"


def _at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _named(result: Json) -> Json:
    """A result without the ids that differ from run to run."""
    if "deleted" in result:
        # What an earlier try deleted is in its own result.
        return {"kept": result["kept"]}
    kept = {key: value for key, value in result.items() if key not in ("resources", "hyperpod_cluster", "findings")}
    hyperpod = result.get("hyperpod_cluster", {}).get("name")
    return kept | {"resources": len(result["resources"]), "hyperpod_cluster": hyperpod}
