"""Turns of the capacity stages over a cluster of two thousand nodes: what they answer and what they record."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from functions.aws import cloudformation
from functions.core import ledger, runtime
from functions.entry import operations, stages_cluster, stages_workloads
from functions.kubernetes_api import connection, nodes
from infra.topology import POLL_SECONDS
from tests.component.test_http_support import Edge, account, edge, standing
from tests.component.test_ledger_support import ENVIRONMENT

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["account", "edge"]

NODES, MISSING = 2000, 60
STATE_BYTES, RECORD_BYTES = 32 * 1024, 400 * 1024
EKS = "arn:aws:eks:us-west-2:123456789012:cluster/eks-cluster-t1"
WORDS = "We currently do not have sufficient capacity to launch new ml.m5.large instances. Please try again."
GROUPS = [f"group-{number}" for number in range(100)]
PER_GROUP = NODES // len(GROUPS)


def instance(number: int) -> str:
    return f"i-{number:017x}"


def node(number: int) -> dict[str, Any]:
    """A node as Kubernetes lists it; the first few are not Ready."""
    labels = {"sagemaker.amazonaws.com/instance-group-name": GROUPS[number // PER_GROUP]}
    ready = {"type": "Ready", "status": "False" if number < 30 else "True", "message": "no network " * 20}
    metadata = {"name": f"hyperpod-{instance(number)}", "labels": labels, "creationTimestamp": "2026-01-01T00:00:00Z"}
    return {"metadata": metadata, "spec": {}, "status": {"conditions": [ready]}}


def summary(number: int) -> dict[str, Any]:
    state = {"Status": "Running", "Message": "x" * 200}
    return {"InstanceId": instance(number), "InstanceGroupName": GROUPS[number // PER_GROUP], "InstanceStatus": state}


@pytest.fixture
def large(edge: Edge, monkeypatch: pytest.MonkeyPatch) -> Edge:
    """An account whose cluster lacks a few of its two thousand instances, and has many failures to tell."""
    described = [
        {"InstanceGroupName": name, "InstanceType": "ml.m5.large", "TargetCount": PER_GROUP, "CurrentCount": 0}
        for name in GROUPS
    ]
    edge.surroundings.clusters["hp-cluster-t1"] = described
    pages = {str(page): [summary(n) for n in range(page * 100, page * 100 + 100)] for page in range(NODES // 100)}

    def listed(body: dict[str, Any]) -> dict[str, Any]:
        page = int(body.get("NextToken", "0"))
        more = {"NextToken": str(page + 1)} if str(page + 1) in pages else {}
        return {"ClusterNodeSummaries": pages[str(page)], **more}

    def events(_: dict[str, Any]) -> dict[str, Any]:
        now = runtime.now()
        return {
            "Events": [
                {"EventId": str(n), "InstanceGroupName": GROUPS[n], "EventTime": now, "EventLevel": "Error"}
                for n in range(100)
            ]
        }

    failed = {"EventDetails": {"EventDetails": {"EventMetadata": {"Instance": {"FailureMessage": WORDS * 20}}}}}
    edge.surroundings.answer(edge.account, "sagemaker.ListClusterNodes", listed)
    edge.surroundings.answer(edge.account, "sagemaker.ListClusterEvents", events)
    edge.surroundings.answer(edge.account, "sagemaker.DescribeClusterEvent", lambda _: failed)
    unused = dict.fromkeys(("VpcId", "ComputeSecurityGroupId", "NatGatewayId", "S3EndpointId", "ExecutionRoleArn"), "")
    monkeypatch.setattr(cloudformation, "outputs_of", lambda _: {"EksClusterArn": EKS, **unused})
    monkeypatch.setattr(connection, "connect", lambda *_: None)
    monkeypatch.setattr(nodes, "listed", lambda *_: [node(n) for n in range(NODES - MISSING)])
    edge.account.runtime.environment = ENVIRONMENT | POLL_SECONDS
    return edge


def begin(edge: Edge) -> str:
    # The HyperPod cluster is there once the operation has made it.
    made, edge.surroundings.clusters = edge.surroundings.clusters, {}
    standing(edge, "t1", "FoundationReady", "DependenciesReady")
    groups = [{"name": name, "instance_type": "ml.m5.large", "instance_count": PER_GROUP} for name in GROUPS]
    edge.surroundings.quotas |= dict.fromkeys(["ml.m5.large for cluster usage", "2CE978FC", "3308CCC7"], NODES)
    body = {"availability_zone": "us-west-2c", "subnet_prefix": 17, "instance_groups": groups}
    answer = edge.send("POST", "/api/clusters/t1/hyperpod", body)
    assert answer.status == 202, answer.body
    edge.surroundings.clusters = made
    return str(answer.body["operation_id"])


def step(action: str, operation_id: str, stage: str = "") -> dict[str, Any]:
    event = {"action": action, "operation_id": operation_id, "stage": stage}
    return operations.handler({key: value for key, value in event.items() if value}, None)


def records(operation_id: str) -> Iterator[str]:
    client = runtime.client("dynamodb")
    for table in ("OPERATIONS_TABLE", "CLUSTERS_TABLE"):
        yield from (json.dumps(item) for item in client.scan(TableName=ENVIRONMENT[table])["Items"])


@pytest.mark.case(72)
def test_turns_over_two_thousand_nodes_answer_and_record_little(large: Edge) -> None:
    operation_id = begin(large)
    answers = [step("begin_operation", operation_id)]
    handlers = {"hyperpod_cluster": stages_cluster.handler, "hyperpod_nodes": stages_workloads.handler}
    for stage in (each for each in ledger.get(operation_id).stages if each.name in handlers):
        begun = step("begin_stage", operation_id, stage.record)
        # By now an instance that has not joined is named.
        large.account.clock.advance(minutes=30)
        turn = {"action": "observe", "operation_id": operation_id, "stage": stage.record, "attempt": begun["attempt"]}
        answers += [begun, handlers[stage.name](turn, None)]
    assert [answer.get("verdict") for answer in answers] == [None, "run", "waiting", "run", "waiting"]
    told = [stage.message for stage in ledger.get(operation_id).stages if stage.name in handlers]
    assert all(told)
    assert f"{instance(NODES - MISSING)}" in str(told[1])
    assert f"and {MISSING - 5} more" in str(told[1])
    assert max(len(json.dumps(answer)) for answer in answers) < STATE_BYTES
    assert max(map(len, records(operation_id))) < RECORD_BYTES
