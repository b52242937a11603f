"""What bus events mean for a cluster, whatever their order and however often they come."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import reduce
from itertools import permutations

import pytest

from functions.clusters.events import rules
from functions.clusters.events.models import BusEvent, LoggedEvent, NodeHealthChange, StateChange
from functions.core.observations import NodeHealth, ObservedCondition

T0 = datetime(2026, 1, 1, 9, 0, tzinfo=UTC)
Condition = ObservedCondition | None


def event(minute: float, detail: dict[str, object], identifier: str = "") -> BusEvent:
    at = T0 + timedelta(minutes=minute)
    return BusEvent.model_validate(
        {
            "id": identifier or f"e{minute:g}",
            "source": "aws.sagemaker",
            "detail-type": "any",
            "time": f"{at:%Y-%m-%dT%H:%M:%SZ}",
            "detail": detail,
            "a-member-of-next-year": 1,
        }
    )


def state(minute: float, status: str, identifier: str = "", failure: str | None = None) -> BusEvent:
    detail: dict[str, object] = {"ClusterName": "hp", "ClusterStatus": status, "FailureMessage": failure}
    return event(minute, detail, identifier)


def health(minute: float, instance: str, status: str, identifier: str = "") -> BusEvent:
    summary = {
        "HealthStatus": status,
        "HealthStatusReason": f"{instance} has a fault" if status != "Healthy" else "",
        "RepairAction": "None",
        "Recommendation": "Replace it.",
    }
    return event(minute, {"ClusterName": "hp", "InstanceId": instance, "HealthSummary": summary}, identifier)


def after_states(events: tuple[BusEvent, ...]) -> Condition:
    def step(standing: Condition, each: BusEvent) -> Condition:
        return rules.in_service(standing, each, StateChange.model_validate(each.detail)) or standing

    return reduce(step, events, None)


def after_health(events: tuple[BusEvent, ...]) -> Condition:
    def step(standing: Condition, each: BusEvent) -> Condition:
        return rules.nodes_healthy(standing, each, NodeHealthChange.model_validate(each.detail)) or standing

    return reduce(step, events, None)


def essence(condition: Condition) -> tuple[str, str, str, str]:
    """All but `since`: when a status began is known exactly only to who heard of the first event in time."""
    assert condition is not None
    return condition.status, condition.reason, condition.message, condition.order


def test_the_newest_status_of_a_cluster_stands_whatever_came_last() -> None:
    events = (state(0, "Creating"), state(3, "InService"), state(5, "Updating"), state(9, "InService"))
    ends = {essence(after_states(order)) for order in permutations(events + events[1:2])}
    assert ends == {("True", "InService", "hp is InService", "2026-01-01T09:09:00#1#e9")}


def test_of_two_statuses_within_a_second_the_settled_one_stands() -> None:
    events = (state(1, "Creating", "z"), state(1, "InService", "a"))
    assert {essence(after_states(order))[1] for order in permutations(events)} == {"InService"}


def test_a_failure_is_told_with_its_message_and_an_absent_message_is_none() -> None:
    failed = after_states((state(1, "Failed", failure="no capacity"),))
    assert failed is not None
    assert (failed.status, failed.reason, failed.message) == ("False", "Failed", "no capacity")
    assert essence(after_states((state(1, "Failed"),)))[2] == "hp is Failed"


def test_since_is_the_beginning_of_the_status_and_not_of_the_last_event() -> None:
    condition = after_states((state(1, "InService"), state(5, "InService", "again")))
    assert condition is not None
    assert condition.since == T0 + timedelta(minutes=1)
    assert condition.order.endswith("#again")


def test_nodes_are_healthy_only_once_each_of_them_is() -> None:
    events = (
        health(1, "i-1", "Unhealthy"),
        health(2, "i-2", "Unhealthy"),
        health(3, "i-1", "Healthy"),
    )
    ends = {essence(after_health(order))[:3] for order in permutations(events + events[:1])}
    assert ends == {("False", "NodesUnhealthy", "i-2 (i-2 has a fault)")}
    well = after_health((*events, health(4, "i-2", "Healthy")))
    assert essence(well)[:2] == ("True", "NodesHealthy")


def test_a_terminated_node_is_not_unhealthy_any_more_even_if_a_late_event_says_so() -> None:
    sick = after_health((health(1, "i-1", "Unhealthy"),))
    gone = rules.without_node(sick, event(5, {}), "i-1")
    assert gone is not None
    assert gone.status == "True"
    late = health(3, "i-1", "Unhealthy")
    assert rules.nodes_healthy(gone, late, NodeHealthChange.model_validate(late.detail)) is None
    assert rules.without_node(gone, event(6, {}), "i-unknown") is None


def test_healthy_nodes_are_forgotten_after_a_day_and_unhealthy_ones_never() -> None:
    day = 24 * 60
    condition = after_health(
        (health(0, "i-1", "Healthy"), health(1, "i-2", "Unhealthy"), health(2 * day, "i-3", "Healthy"))
    )
    assert condition is not None
    assert sorted(condition.nodes) == ["i-2", "i-3"]


def test_many_unhealthy_nodes_are_counted_and_not_all_named() -> None:
    events = tuple(health(number, f"i-{number}", "Unhealthy") for number in range(1, 9))
    message = essence(after_health(events))[2]
    assert message.endswith(" and 3 more")
    assert message.count("has a fault") == rules.MAX_NAMED


def logged(**more: object) -> LoggedEvent:
    entry = {
        "EventId": "83ea0bb5",
        "ClusterArn": "arn",
        "ClusterName": "hp",
        "ResourceType": "Instance",
        "EventTime": int(T0.timestamp() * 1000) + 350,
        "EventLevel": "Error",
        "InstanceGroupName": "gpu",
        "InstanceId": "i-1",
        "Description": "Failed to provision EC2 Instance in Cluster hp and IG gpu",
    }
    return LoggedEvent.model_validate({"EventDetails": entry | more})


def test_the_record_of_a_logged_event_has_its_own_id_time_and_first_cause() -> None:
    metadata = {"EventMetadata": {"Instance": {"FailureMessage": "insufficient capacity", "NodeLogicalId": "n"}}}
    record = rules.of_logged_event("tag", logged(EventDetails=metadata), T0)
    assert record.model_dump(exclude_none=True) == {
        "event_id": "83ea0bb5",
        "cluster_tag": "tag",
        "at": T0 + timedelta(milliseconds=350),
        "recorded_at": T0,
        "kind": "event",
        "level": "Error",
        "resource_type": "Instance",
        "instance_group": "gpu",
        "instance_id": "i-1",
        "message": "Failed to provision EC2 Instance in Cluster hp and IG gpu",
        "cause": "insufficient capacity",
    }


def test_an_entry_without_description_or_metadata_is_still_one() -> None:
    record = rules.of_logged_event("tag", logged(Description=None, EventDetails={"EventMetadata": None}), T0)
    assert (record.message, record.cause) == ("Instance", None)


@pytest.mark.parametrize(
    ("description", "gone"),
    [
        ("Termination of EC2 Instance i-1 is currently in progress in Cluster hp and IG gpu", "i-1"),
        ("Customer ENI successfully deleted for EC2 Instance i-1 in Cluster hp and IG gpu", "i-1"),
        ("Failed to terminate EC2 Instance i-1 in Cluster hp and IG gpu", None),
        ("Reboot of EC2 Instance i-1 is currently in progress on Cluster hp and IG gpu", None),
    ],
)
def test_an_instance_is_gone_once_its_termination_goes_on(description: str, gone: str | None) -> None:
    assert rules.gone_instance(logged(Description=description).event_details) == gone


def test_a_condition_stays_small_enough_to_be_stored_however_many_nodes_there_are() -> None:
    standing = ObservedCondition(
        status="False",
        reason="NodesUnhealthy",
        message="many",
        since=T0,
        order="2026-01-01T09:00:00#1#e",
        nodes={
            f"i-{number:017}": NodeHealth(
                healthy=number % 2 == 0, order=f"2026-01-01T09:00:00#1#{number:036}", reason="r" * rules.MAX_REASON
            )
            for number in range(6758)
        },
    )
    told = health(1, "i-new", "Unhealthy")
    revised = rules.nodes_healthy(standing, told, NodeHealthChange.model_validate(told.detail))
    assert revised is not None
    assert len(revised.model_dump_json()) < 400_000
    assert not any(node.healthy for node in revised.nodes.values())
    assert "i-new" in revised.nodes


@pytest.mark.parametrize(
    ("kind", "description", "awaited"),
    [
        ("Cluster", "Cluster creation started", True),
        ("InstanceGroup", "Instance Group gpu scaling in Cluster hp failed", True),
        ("Instance", "Instance creation i-1 in Cluster hp and IG gpu completed successfully", True),
        (
            "Instance",
            "Instance i-1 creation completed successfully as part of instance replacement in Cluster hp",
            True,
        ),
        ("Instance", "EC2 Instance i-1 successfully provisioned in Cluster hp and IG gpu", False),
        ("Instance", "Instance creation in Cluster hp and InstanceGroup gpu failed", False),
    ],
)
def test_of_the_entries_about_instances_only_the_one_that_it_is_ready_is_awaited(
    kind: str, description: str, awaited: bool
) -> None:
    assert rules.is_awaited(logged(ResourceType=kind, Description=description).event_details) is awaited
