"""What the tests of checks on capacity share: a request for groups, and how its refusal or its findings are read."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import ReadTimeoutError

from tests.component.test_http_support import Answer, Edge, standing
from tests.component.test_ledger_support import cluster_records

P5, P4 = "ml.p5.48xlarge", "ml.p4d.24xlarge"
SILENCE = ReadTimeoutError(endpoint_url="https://aws.example")
GPU: dict[str, Any] = {"name": "gpu", "instance_type": P5, "instance_count": 2}


def request(*groups: dict[str, Any], **other: object) -> dict[str, Any]:
    return {"tag": "t1", "hyperpod": {"availability_zone": "us-west-2a", "instance_groups": [*groups], **other}}


def create(edge: Edge, *groups: dict[str, Any], **other: object) -> Answer:
    return edge.send("POST", "/api/clusters", request(*groups, **other))


def refused(answer: Answer, status: int, code: str, cause: str, field: str) -> dict[str, Any]:
    """Check a refusal and give the error of the field."""
    body = answer.body
    assert (answer.status, body["code"], body["cause"]["code"]) == (status, code, cause), body
    assert body["remedy"]
    assert not cluster_records()
    return next(error for error in body["errors"] if error["field"] == f"hyperpod.{field}")


def found(answer: Answer, check: str) -> list[dict[str, Any]]:
    """The findings of a check in an accepted operation."""
    assert answer.status == 202, answer.body
    return [finding for finding in answer.body["findings"] if finding["check"] == check]


def add(edge: Edge, *groups: dict[str, Any]) -> Answer:
    """Ask for a HyperPod cluster of these groups on a foundation that stands."""
    if not cluster_records():
        standing(edge, "t1", "FoundationReady", "DependenciesReady")
    body = {"availability_zone": "us-west-2a", "instance_groups": [*groups]}
    return edge.send("POST", "/api/clusters/t1/hyperpod", body)
