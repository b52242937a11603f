"""What is worth telling people, and in which words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from functions.core.cluster import ClusterNames, ClusterSpec, DesiredGroup
from functions.core.errors import Cause, FieldError, Layer, ProblemBody
from functions.core.ledger.models import Actor, Channel, Operation, OperationStatus, Reason, Stage, StageStatus
from functions.core.observations import ClusterEvent
from functions.notifications.models import PlanUse
from functions.notifications.rules import nodes, operations, plans, progress, wording

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
CONSOLE = "https://console.example.com"
PLAN = "arn:aws:sagemaker:us-west-2:123456789012:training-plan/spring"


def operation(status: OperationStatus = OperationStatus.RUNNING, **members: object) -> Operation:
    given: dict[str, object] = {
        "operation_id": "01OP",
        "kind": "create_cluster",
        "cluster_tag": "first",
        "account_id": "123456789012",
        "region": "us-west-2",
        "actor": Actor(id="ann", channel=Channel.CONSOLE, client="console"),
        "status": status,
        "request": {"password": "hunter2"},
        "scopes": ["cluster"],
        "created_at": NOW,
        "updated_at": NOW,
    }
    return Operation.model_validate(given | members)


def stage(status: StageStatus = StageStatus.RUNNING, reason: Reason | None = None, **members: object) -> Stage:
    given: dict[str, object] = {
        "number": 40,
        "phase": "hyperpod",
        "name": "hyperpod_cluster",
        "function": "stages_cluster",
        "title": "Create the HyperPod cluster",
        "expected_seconds": 900,
        "status": status,
        "reason": reason,
    }
    return Stage.model_validate(given | members)


def problem(**members: object) -> ProblemBody:
    given: dict[str, object] = {"title": "Stage failed", "status": 500, "code": "stage_failed", "detail": "No room."}
    return ProblemBody.model_validate(given | members)


def sickness(**members: object) -> ClusterEvent:
    given: dict[str, object] = {
        "event_id": "e1",
        "cluster_tag": "first",
        "at": NOW,
        "recorded_at": NOW,
        "kind": "node_health",
        "level": "Error",
        "resource_type": "Instance",
        "instance_id": "i-0abc",
        "message": "i-0abc is Unhealthy; repair: Replace",
        "cause": "GPU 3 fell off the bus",
    }
    return ClusterEvent.model_validate(given | members)


def test_a_failure_is_told_with_its_cause_and_remedy_and_without_the_request() -> None:
    cause = Cause(layer=Layer.AWS, api_call="CreateCluster", code="ResourceLimitExceeded", request_id="r-1")
    failed = operation(OperationStatus.FAILED, error=problem(cause=cause, remedy="Ask for more."), finished_at=NOW)
    notice = operations.failed("RUNNING", failed, NOW, CONSOLE)
    assert notice is not None
    assert notice.subject == "create_cluster of cluster first failed"
    assert "Cause: No room.\n" in notice.text
    assert "Origin: aws, call CreateCluster, code ResourceLimitExceeded, request id r-1\n" in notice.text
    assert "Remedy: Ask for more.\n" in notice.text
    assert f"Look: {CONSOLE}/operations/01OP\n" in notice.text
    assert "hunter2" not in notice.text


def test_a_remedy_that_leads_to_what_stands_in_the_way_says_what_helps_with_each() -> None:
    standing = [FieldError(field=f"eni-{each}", message="is in the way", remedy="Delete it.") for each in range(4)]
    error = problem(remedy="Do what the errors say of each.", errors=[FieldError(field="x", message="y"), *standing])
    notice = operations.failed("RUNNING", operation(OperationStatus.FAILED, error=error), NOW, CONSOLE)
    assert notice is not None
    told = "eni-0: Delete it. eni-1: Delete it. eni-2: Delete it."
    assert f"Remedy: Do what the errors say of each. {told}\n" in notice.text


def test_without_a_console_a_notice_says_which_route_shows_more() -> None:
    notice = operations.failed("RUNNING", operation(OperationStatus.FAILED, error=problem()), NOW, None)
    assert notice is not None
    assert "Look: GET /api/operations/01OP\n" in notice.text
    # Nobody is left without something to do.
    assert "Remedy: Read the failed stage's message" in notice.text


def test_an_operation_whose_execution_was_lost_is_told_as_lost() -> None:
    lost = operation(OperationStatus.FAILED, reason=Reason.LOST, error=problem())
    notice = operations.failed("RUNNING", lost, NOW, None)
    assert notice is not None
    assert notice.subject.endswith("was lost")


@pytest.mark.parametrize("status", [each for each in OperationStatus if each is not OperationStatus.FAILED])
def test_no_other_status_is_told(status: OperationStatus) -> None:
    assert operations.failed("RUNNING", operation(status), NOW, None) is None


def test_only_the_change_into_failure_is_told() -> None:
    assert operations.failed("FAILED", operation(OperationStatus.FAILED, error=problem()), NOW, None) is None


def test_a_failure_of_long_ago_whose_record_comes_back_is_no_news() -> None:
    old = operation(OperationStatus.FAILED, error=problem(), finished_at=NOW - timedelta(hours=25))
    assert operations.failed("", old, NOW, None) is None


@pytest.mark.parametrize(
    "after",
    [
        stage(reason=Reason.WAITING_NODES, message="InService, instances gpu 1/2"),
        stage(reason=Reason.WAITING_DEEP_HEALTH_CHECK, message="InService, instances gpu 1/2"),
        stage(StageStatus.SUCCEEDED, message="InService, instances gpu 1/2"),
    ],
)
def test_capacity_that_a_stage_waited_for_is_told_when_it_is_there(after: Stage) -> None:
    notice = operations.capacity_arrived("WAITING_CAPACITY", after, operation(), CONSOLE)
    assert notice is not None
    assert notice.subject == "capacity arrived for cluster first"
    assert "instances gpu 1/2" in notice.text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("WAITING_CAPACITY", stage(reason=Reason.WAITING_CAPACITY, message="other words")),
        ("WAITING_CAPACITY", stage()),
        ("WAITING_CAPACITY", stage(StageStatus.FAILED)),
        ("WAITING_CAPACITY", stage(StageStatus.CANCELLED, Reason.CANCELLED_BY_CALLER)),
        ("WAITING_NODES", stage(StageStatus.SUCCEEDED)),
        ("", stage(reason=Reason.WAITING_NODES)),
    ],
)
def test_no_other_change_of_a_stage_is_an_arrival(before: str, after: Stage) -> None:
    assert operations.capacity_arrived(before, after, operation(), None) is None


def test_a_faulty_node_is_told_with_what_hyperpod_does_about_it() -> None:
    notice = nodes.fault(sickness(), CONSOLE)
    assert notice is not None
    assert notice.subject == "node i-0abc of cluster first is faulty"
    assert "Cause: GPU 3 fell off the bus\n" in notice.text
    assert "HyperPod repairs the node by itself" in notice.text
    assert f"Look: {CONSOLE}/clusters/first\n" in notice.text


def test_a_node_that_nobody_repairs_asks_for_somebody() -> None:
    notice = nodes.fault(sickness(message="i-0abc is Unhealthy"), None)
    assert notice is not None
    assert "reboot or replace the node" in notice.text


def test_the_same_words_about_a_node_are_one_notice_and_others_another() -> None:
    keys = {
        notice.key
        for event in (sickness(), sickness(event_id="e2"), sickness(message="i-0abc is Unhealthy"))
        if (notice := nodes.fault(event, None))
    }
    assert len(keys) == 2


@pytest.mark.parametrize("other", [sickness(level="Info"), sickness(kind="event"), sickness(instance_id=None)])
def test_no_other_event_is_a_fault_of_a_node(other: ClusterEvent) -> None:
    assert nodes.fault(other, None) is None


def use(ends_in: timedelta) -> PlanUse:
    return PlanUse(PLAN, "spring", NOW + ends_in, ("first/gpu", "second/gpu"))


@pytest.mark.parametrize(
    ("ends_in", "told"),
    [
        (timedelta(hours=25), None),
        (timedelta(hours=24), "ending"),
        (timedelta(minutes=1), "ending"),
        (timedelta(0), "ended"),
        (timedelta(hours=-48), "ended"),
        (timedelta(hours=-49), None),
    ],
)
def test_a_plan_is_told_a_day_before_its_end_and_after_it(ends_in: timedelta, told: str | None) -> None:
    notice = plans.ending(use(ends_in), NOW, None)
    assert (notice.key if notice else None) == (f"plan#{PLAN}#{told}" if told else None)


def test_a_plans_end_names_the_groups_and_when_the_instances_go() -> None:
    notice = plans.ending(use(timedelta(hours=20)), NOW, None)
    assert notice is not None
    assert notice.subject == "training plan spring ends 2026-03-02 08:00 UTC"
    assert "Groups: first/gpu, second/gpu\n" in notice.text
    assert "Instances taken back: 2026-03-02 07:00 UTC\n" in notice.text
    assert "Save checkpoints" in notice.text


def cluster(tag: str, groups: list[DesiredGroup]) -> ClusterSpec:
    names = dict.fromkeys(ClusterNames.model_fields, "x")
    return ClusterSpec(
        tag=tag,
        account_id="123456789012",
        region="us-west-2",
        names=ClusterNames(**names),
        instance_groups=groups,
        created_at=NOW,
    )


def test_groups_are_found_by_the_plan_that_they_run_on() -> None:
    groups = [
        DesiredGroup(name="gpu", instance_count=1, capacity_type="training_plan", training_plan_arn=PLAN),
        DesiredGroup(name="cpu", instance_count=1, capacity_type="on_demand"),
    ]
    specs = [cluster(tag, groups) for tag in ("first", "second")]
    assert plans.groups_by_plan(specs) == {PLAN: ("first/gpu", "second/gpu")}


def test_an_operation_that_stands_still_is_told_with_what_its_stage_said_last() -> None:
    still = operation(stages=[stage(message="Updating")], updated_at=NOW - timedelta(hours=3))
    notice = progress.stuck(still, NOW, CONSOLE)
    assert notice is not None
    assert notice.subject == "create_cluster of cluster first makes no progress"
    assert "for 180 minutes" in notice.text
    assert "Seen: Updating\n" in notice.text
    assert "Cancel: POST /api/operations/01OP/cancel\n" in notice.text


@pytest.mark.parametrize(
    "fine",
    [
        operation(stages=[stage()], updated_at=NOW - timedelta(minutes=119)),
        operation(stages=[stage(expected_seconds=7200)], updated_at=NOW - timedelta(hours=5)),
        operation(stages=[stage(reason=Reason.WAITING_CAPACITY)], updated_at=NOW - timedelta(days=3)),
        operation(OperationStatus.SUCCEEDED, stages=[], updated_at=NOW - timedelta(days=3)),
    ],
)
def test_what_moves_waits_for_capacity_or_has_ended_is_not_stuck(fine: Operation) -> None:
    assert progress.stuck(fine, NOW, None) is None


@pytest.mark.parametrize("words", ["x" * 300, "two\nlines\tand more", "Knoten f\u00e4llt aus \u2014 \x07bell"])
def test_every_subject_is_one_that_sns_takes(words: str) -> None:
    subject = wording.subject(words)
    assert subject.isascii()
    assert subject.isprintable()
    assert len(subject) < 100


def test_a_part_that_is_too_long_is_cut_and_one_that_is_empty_left_out() -> None:
    text = wording.text("It failed.", cause="x" * 10_000, remedy=None)
    assert len(text) < 2100
    assert "Remedy" not in text
