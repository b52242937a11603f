"""What an ending means, decided from an operation, its stages and its execution alone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from functions.core.errors import DeploymentFault, StageFailed
from functions.core.ledger.endings import MAX_RESOURCES, Ending, ending_of, failure_of
from functions.core.ledger.executions import Execution
from functions.core.ledger.made import Making, adopted
from functions.core.ledger.models import Actor, Channel, Operation, OperationStatus, Reason, Stage, StageStatus

AT = datetime(2026, 5, 10, 12, tzinfo=UTC)
ACTOR = Actor(id="ann", channel=Channel.REST, client="cli")
P, R, S, F, C, K = (StageStatus(name) for name in ["PENDING", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED", "SKIPPED"])
PROBLEM = StageFailed("the subnet is full").body()
PLAN = ("foundation", "dependencies", "hyperpod", "verify")
ENDED = Execution("arn", "ABORTED", "States.Runtime", "no such path")


def stage(place: int, status: StageStatus, resources: int) -> Stage:
    phase = PLAN[place]
    return Stage(
        number=place * 10,
        phase=phase,
        name=phase,
        function="stages",
        title=phase.capitalize(),
        status=status,
        expected_seconds=1,
        resources=[f"{phase}-{number}" for number in range(resources)] if status in (S, K, R) else [],
        result={"nodes": 1} if phase == "verify" and status is S else {},
        error=PROBLEM if status is F else None,
    )


def operation(*stages: StageStatus, status: OperationStatus = OperationStatus.RUNNING, resources: int = 1) -> Operation:
    """One stage per phase, each with resources of its own, the last with a result."""
    return Operation(
        operation_id="01",
        kind="create_cluster",
        cluster_tag="t1",
        account_id="123456789012",
        region="us-west-2",
        actor=ACTOR,
        status=status,
        stages=[stage(place, each, resources) for place, each in enumerate(stages)],
        request={},
        scopes=[],
        created_at=AT,
        updated_at=AT,
        version=7,
    )


def end(*stages: StageStatus, cancelling: bool = False, execution: Execution | None = None) -> Ending:
    status = OperationStatus.CANCELLING if cancelling else OperationStatus.RUNNING
    return ending_of(operation(*stages, status=status), execution, AT)


def conditions(ending: Ending) -> dict[str, object]:
    return {name: content["status"] for name, content in ending.conditions.items()}


def test_what_stands_as_a_whole_succeeded_with_its_summary_and_resources() -> None:
    ending = end(K, S, S, S)
    assert ending.status is OperationStatus.SUCCEEDED
    assert ending.result == {"nodes": 1, "resources": ["foundation-0", "dependencies-0", "hyperpod-0", "verify-0"]}
    assert conditions(ending) == {"FoundationReady": "True", "DependenciesReady": "True", "HyperPodReady": "True"}
    assert (ending.error, ending.reason, ending.stages, ending.seen_version) == (None, None, [], 7)


@pytest.mark.parametrize("execution", [None, ENDED])
def test_a_cancellation_that_came_after_everything_stood_cancelled_nothing(execution: Execution | None) -> None:
    ending = end(S, S, S, S, cancelling=True, execution=execution)
    assert (ending.status, ending.reason) == (OperationStatus.SUCCEEDED, None)


@pytest.mark.parametrize("execution", [None, ENDED])
def test_a_cancelled_operation_lists_what_stands_and_stops_what_ran(execution: Execution | None) -> None:
    ending = end(S, R, P, P, cancelling=True, execution=execution)
    assert (ending.status, ending.reason) == (OperationStatus.CANCELLED, Reason.CANCELLED_BY_CALLER)
    assert ending.result == {"resources": ["foundation-0", "dependencies-0"]}
    assert [(each.name, each.status) for each in ending.stages] == [("dependencies", C)]
    assert conditions(ending) == {"FoundationReady": "True", "DependenciesReady": "False"}
    assert ending.conditions["DependenciesReady"]["reason"] == "Cancelled"


@pytest.mark.parametrize("execution", [None, ENDED])
def test_the_first_error_of_a_stage_is_the_headline_and_the_conditions_cause(execution: Execution | None) -> None:
    ending = end(S, F, P, P, execution=execution)
    assert (ending.status, ending.reason) == (OperationStatus.FAILED, None)
    assert ending.error == PROBLEM.model_copy(update={"operation_id": "01"})
    assert ending.conditions["DependenciesReady"] == {
        "status": "False",
        "reason": "Failed",
        "message": "the subnet is full",
        "since": AT.isoformat(),
    }
    assert ending.result == {"resources": ["foundation-0"]}


@pytest.mark.parametrize(
    ("execution", "reason", "words"),
    [
        (None, Reason.LOST, "came to its end during 'Dependencies'"),
        (ENDED, Reason.ABORTED, "ABORTED during 'Dependencies'"),
        (Execution("arn", "TIMED_OUT"), Reason.TIMED_OUT, "no cause given"),
        (Execution("arn", "FAILED", cause="x" * 32_000), Reason.LOST, "xxx"),
        (Execution("arn", "SUCCEEDED"), Reason.LOST, "without a final record"),
    ],
)
def test_a_stage_whose_execution_was_lost_fails_with_its_operation(
    execution: Execution | None, reason: Reason, words: str
) -> None:
    ending = end(S, R, P, P, execution=execution)
    assert ending.error is not None
    assert (ending.status, ending.error.code, ending.reason) == (OperationStatus.FAILED, "operation_lost", reason)
    assert words in ending.error.detail
    assert len(ending.error.detail) < 1000
    assert [(each.name, each.status, each.error) for each in ending.stages] == [("dependencies", F, ending.error)]
    assert conditions(ending) == {"FoundationReady": "True", "DependenciesReady": "False"}


def test_nothing_succeeds_by_absence_of_stages() -> None:
    assert end().status is OperationStatus.FAILED


def test_a_phase_that_never_began_leaves_its_condition_as_it_was() -> None:
    assert end(P, P, cancelling=True).conditions == {}


def test_a_failure_of_the_deployment_is_told_unless_a_stage_knows_more() -> None:
    problem = DeploymentFault("no such machine").body()
    told = failure_of(operation(P, P), problem, Reason.LOST, AT)
    assert (told.error and told.error.detail, told.reason) == ("no such machine", Reason.LOST)
    known = failure_of(operation(S, F), problem, Reason.LOST, AT)
    assert (known.error and known.error.detail, known.reason) == ("the subnet is full", None)


def test_more_resources_than_a_record_should_hold_are_counted() -> None:
    most = operation(S, resources=MAX_RESOURCES)
    assert ending_of(most, None, AT).result == {"resources": most.stages[0].resources}
    more = ending_of(operation(S, S, resources=MAX_RESOURCES), None, AT).result or {}
    assert (more["resources"], more["more_resources"]) == (most.stages[0].resources, MAX_RESOURCES)


def test_a_repair_that_fails_takes_no_condition_from_the_cluster() -> None:
    failed = operation(S, F, P, P).model_copy(update={"kind": "repair_cluster"})
    assert set(ending_of(failed, None, AT).conditions) == {"FoundationReady"}
    mended = operation(S, S, K, S).model_copy(update={"kind": "repair_cluster"})
    assert {each["status"] for each in ending_of(mended, None, AT).conditions.values()} == {"True"}


def test_a_phase_that_a_repair_passed_over_leaves_its_condition_as_it_was() -> None:
    repair = operation(S, K, K, S).model_copy(update={"kind": "repair_cluster"})
    assert ending_of(repair, None, AT).status is OperationStatus.SUCCEEDED
    assert conditions(ending_of(repair, None, AT)) == {"FoundationReady": "True"}
    # Any other operation's stages are skipped because an earlier one has made what they make.
    assert conditions(ending_of(operation(S, K, K, S), None, AT))["HyperPodReady"] == "True"


def made(kind: str, *stages: tuple[str, str, StageStatus, bool]) -> dict[str, Making]:
    """What an operation made, given phase, name and status of its stages, and whether the thing is somebody else's."""
    planned = [
        stage(0, status, 0).model_copy(
            update={"phase": phase, "name": name, "result": adopted() if theirs else {"addon": name}}
        )
        for phase, name, status, theirs in stages
    ]
    whole = operation().model_copy(update={"kind": kind, "stages": planned})
    return dict(ending_of(whole, None, AT).makings)


def test_what_succeeded_was_made_even_where_the_rest_failed_and_what_was_adopted_was_not() -> None:
    found = made(
        "configure_dependencies",
        ("dependencies", "access_entry:admin", K, False),
        ("dependencies", "addon:a", S, False),
        ("dependencies", "addon:b", S, True),
        ("dependencies", "addon:c", F, False),
        ("dependencies", "addon:d", P, False),
        ("verify", "verify", P, False),
    )
    assert found == {"dependencies": Making(made=("addon:a",), adopted=("addon:b",))}


@pytest.mark.parametrize(("cancelling", "ended"), [(False, F), (False, R), (True, C), (True, R)])
def test_a_hyperpod_cluster_that_was_begun_was_made_though_its_groups_never_came(
    ended: StageStatus, *, cancelling: bool
) -> None:
    def makings(name: str, *resources: str) -> dict[str, Making]:
        begun = stage(2, ended, 0).model_copy(update={"name": name, "resources": [*resources]})
        status = OperationStatus.CANCELLING if cancelling else OperationStatus.RUNNING
        whole = operation(status=status).model_copy(update={"kind": "create_hyperpod", "stages": [begun]})
        return dict(ending_of(whole, None, AT).makings)

    assert makings("hyperpod_cluster", "arn:hp") == {"hyperpod": Making(made=("hyperpod_cluster",))}
    # It was refused before anything was there.
    assert makings("hyperpod_cluster") == {}
    # Whose that is, only its success tells.
    assert makings("compute_subnet:us-west-2a", "subnet-1") == {}


def test_what_an_import_makes_counts_among_the_dependencies_and_what_lets_people_in_does_not() -> None:
    entry = ("access", "access_entry:admin", S, False)
    assert made("import_cluster", entry) == {"dependencies": Making(made=("access_entry:admin",))}
    assert made("change_access", entry) == {}


def removal(kind: str, *stages: tuple[str, str, StageStatus, list[str]]) -> Ending:
    """How an operation ends, given phase, name, status and resources of the stages that take something away."""
    planned = [
        stage(0, status, 0).model_copy(update={"phase": phase, "name": name, "title": name, "resources": touched})
        for phase, name, status, touched in stages
    ]
    return ending_of(operation().model_copy(update={"kind": kind, "stages": planned}), None, AT)


@pytest.mark.parametrize(
    ("status", "touched", "gone"),
    [(S, [], True), (F, ["arn"], True), (R, ["arn"], True), (F, [], False), (P, [], False), (K, [], False)],
)
def test_a_removal_takes_from_the_record_when_it_succeeded_or_did_something_and_not_when_it_was_refused(
    status: StageStatus, touched: list[str], gone: bool
) -> None:
    found = removal("delete_cluster", ("hyperpod_removal", "hyperpod_removal", status, touched)).makings
    assert found == ({"hyperpod": Making(removed=True)} if gone else {})


def test_a_deletion_that_fails_after_the_workloads_leaves_no_storage() -> None:
    ending = removal(
        "delete_cluster",
        ("workloads_removal", "load_balancers_removal", S, []),
        ("workloads_removal", "own_objects_removal:workloads", S, ["persistentvolumeclaims/s3-claim"]),
        ("hyperpod_removal", "hyperpod_removal", F, []),
    )
    assert ending.makings == {"storage": Making(removed=True)}
    assert conditions(ending) == {"StorageReady": "False", "HyperPodReady": "False"}
    assert ending.conditions["StorageReady"]["reason"] == "Removed"


def test_load_balancers_that_do_not_go_take_no_storage_along() -> None:
    ending = removal(
        "delete_cluster",
        ("workloads_removal", "load_balancers_removal", F, ["service/default/web"]),
        ("workloads_removal", "own_objects_removal:workloads", P, []),
    )
    assert (ending.makings, ending.conditions) == ({}, {})


def test_of_the_dependencies_only_what_was_taken_away_leaves_the_record() -> None:
    ending = removal(
        "delete_cluster",
        ("dependencies_removal", "addons_removal", F, ["addon/a"]),
        ("dependencies_removal", "identity_chain_removal:s3-csi-driver", P, []),
    )
    assert ending.makings == {"dependencies": Making(unmade=("addon",))}
    ending = removal(
        "delete_cluster",
        ("dependencies_removal", "addons_removal", S, []),
        ("dependencies_removal", "identity_chain_removal:s3-csi-driver", S, []),
        ("dependencies_removal", "helm_release_removal:dependencies", F, []),
    )
    assert ending.makings == {"dependencies": Making(unmade=("addon", "identity_chain:s3-csi-driver"))}


def test_what_let_us_in_leaves_the_record_with_a_forgetting_that_fails_after_it() -> None:
    ending = removal(
        "forget_cluster",
        ("access_removal", "cluster_role_removal:operator", S, ["clusterroles/instantstart"]),
        ("access_removal", "leave_cluster", F, ["access-entry/admin"]),
    )
    assert ending.makings == {"dependencies": Making(unmade=("cluster_role:operator", "access_entry"))}
    assert ending.conditions == {}
    refused = removal("forget_cluster", ("access_removal", "leave_cluster", F, []))
    assert refused.makings == {}
