"""The route of diagnoses at its door, and a stack's failures as CloudFormation lists them: the newest change alone."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from tests.component.test_http_support import Edge, account, edge, standing
from tests.component.test_ledger_support import ACCOUNT

__all__ = ["account", "edge"]

PATH = "/api/clusters/t1/diagnosis"
STACK = f"arn:aws:cloudformation:us-west-2:{ACCOUNT}:stack/instantstart-t1/1"
BEGUN = datetime(2026, 1, 1, tzinfo=UTC)


def event(minute: int, kind: str, name: str, status: str, reason: str = "") -> dict[str, Any]:
    return {
        "StackId": STACK,
        "EventId": f"{minute}-{name}",
        "StackName": "instantstart-t1",
        "LogicalResourceId": name,
        "PhysicalResourceId": STACK if kind == "Stack" else name,
        "ResourceType": "AWS::CloudFormation::Stack" if kind == "Stack" else f"AWS::EC2::{kind}",
        "Timestamp": BEGUN.replace(minute=minute),
        "ResourceStatus": status,
        "ResourceStatusReason": reason,
    }


# Newest first, as CloudFormation has them: a change that failed after a creation that had a failure of its own.
EVENTS = [
    event(9, "Stack", "instantstart-t1", "UPDATE_ROLLBACK_COMPLETE"),
    event(8, "Route", "Other", "UPDATE_FAILED", "Resource creation cancelled"),
    event(7, "Stack", "instantstart-t1", "UPDATE_ROLLBACK_IN_PROGRESS", "The following resource(s) failed to update"),
    event(6, "SecurityGroup", "Nodes", "UPDATE_FAILED", "The security group is in use"),
    event(5, "Stack", "instantstart-t1", "UPDATE_IN_PROGRESS", "User Initiated"),
    event(3, "Subnet", "Old", "CREATE_FAILED", "The CIDR conflicts with another subnet"),
    event(1, "Stack", "instantstart-t1", "CREATE_IN_PROGRESS", "User Initiated"),
]


def stack(edge: Edge, status: str, events: list[dict[str, Any]]) -> None:
    described = {"StackId": STACK, "StackName": "instantstart-t1", "StackStatus": status, "CreationTime": BEGUN}
    edge.surroundings.answer(edge.account, "cloudformation.DescribeStacks", lambda _: {"Stacks": [described]})
    edge.surroundings.answer(edge.account, "cloudformation.DescribeStackEvents", lambda _: {"StackEvents": events})


def test_a_change_that_failed_is_told_by_its_own_first_failure(edge: Edge) -> None:
    standing(edge, "t1", "FoundationReady")
    stack(edge, "UPDATE_ROLLBACK_COMPLETE", EVENTS)
    answer = edge.send("GET", PATH, query="areas=foundation")
    assert answer.status == 200, answer.body
    [check] = answer.body["checks"]
    assert (check["status"], check["priority"], check["resource"]) == ("WARN", "P1", STACK)
    assert "AWS::EC2::SecurityGroup Nodes" in check["message"]
    assert edge.counting("GET", PATH, query="areas=foundation") == {
        "Query": 2,
        "DescribeStacks": 1,
        "DescribeStackEvents": 1,
    }


def test_a_creation_that_failed_is_told_by_its_first_failure(edge: Edge) -> None:
    standing(edge, "t1")
    stack(edge, "ROLLBACK_COMPLETE", EVENTS[5:])
    [check] = edge.send("GET", PATH, query="areas=foundation").body["checks"]
    assert (check["status"], check["priority"]) == ("FAIL", "P0")
    assert "AWS::EC2::Subnet Old" in check["message"]


def test_a_diagnosis_is_for_readers(edge: Edge) -> None:
    standing(edge, "t1")
    assert edge.send("GET", PATH, scopes=[]).status == 403
    assert edge.send("GET", PATH, scopes=["read"], query="areas=operations").status == 200
