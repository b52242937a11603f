"""What `make run` starts, judged by outsiders: boto3, plain HTTP and stock kubectl."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from tests.conformance.conftest import ROOT, Json, LocalRun, command, serving

KUBECTL = os.environ.get("KUBECTL") or shutil.which("kubectl")

Kubectl = Callable[..., str]
Client = Callable[..., Any]


@pytest.fixture
def kubectl(local_run: LocalRun, tmp_path: Path) -> Kubectl:
    def run(*arguments: str) -> str:
        done = subprocess.run(
            [str(KUBECTL), "--kubeconfig", local_run.endpoints["kubeconfig"], *arguments],
            env={"HOME": str(tmp_path), "PATH": os.environ["PATH"]},
            check=False,
            capture_output=True,
            text=True,
            timeout=20,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture
def aws(local_run: LocalRun) -> Client:
    """Clients as the announcement tells to set them up."""
    connect: Client = boto3.Session("local", "local", region_name=local_run.endpoints["region"]).client
    once = Config(retries={"total_max_attempts": 1})
    return partial(connect, endpoint_url=local_run.endpoints["aws"], config=once)


def test_it_serves_within_ten_seconds_and_four_hundred_megabytes(local_run: LocalRun) -> None:
    assert local_run.start_seconds < 10
    assert local_run.memory_megabytes() < 400


def test_only_doors_that_exist_are_announced(local_run: LocalRun) -> None:
    others = {"kubeconfig", "region", "speed", "log", "auth", "agent_roles"}
    assert local_run.endpoints.keys() == {"console", "api", "mcp", "mcp_signed", "ws", "aws", "internal", *others}
    assert "AWS_DEFAULT_REGION=us-west-2" in local_run.printed
    for name in ("api", "mcp", "ws", "aws", "internal"):
        # The gateway's own door is for the gateway, which reads its address; people read what is printed.
        assert name == "internal" or str(local_run.endpoints[name]) in local_run.printed
        address = urlsplit(local_run.endpoints[name])
        socket.create_connection((str(address.hostname), int(address.port or 0)), timeout=5).close()


def test_any_request_that_fits_ends_with_nodes_and_storage(local_run: LocalRun, created: Json) -> None:
    result = created["result"]
    assert created["cluster_tag"] in result["eks_cluster"]["name"]
    assert [(group["instance_type"], group["count"], group["ready"]) for group in result["nodes"]] == [
        ("ml.p5.48xlarge", 2, 2),
        ("ml.m5.xlarge", 1, 1),
    ]
    assert result["storage"]["status"] == "Bound"
    listed = local_run.send("GET", "/clusters").body["clusters"]
    assert created["cluster_tag"] in [cluster["tag"] for cluster in listed]


def test_boto3_finds_what_was_made(aws: Client, created: Json) -> None:
    names = {kind: created["result"][kind]["name"] for kind in ("eks_cluster", "hyperpod_cluster")}
    assert names["eks_cluster"] in aws("eks").list_clusters()["clusters"]
    summaries = aws("sagemaker").list_clusters()["ClusterSummaries"]
    assert (names["hyperpod_cluster"], "InService") in [(s["ClusterName"], s["ClusterStatus"]) for s in summaries]
    assert len(aws("sagemaker").list_cluster_nodes(ClusterName=names["hyperpod_cluster"])["ClusterNodeSummaries"]) == 3
    stacks = {stack["StackName"]: stack["StackStatus"] for stack in aws("cloudformation").describe_stacks()["Stacks"]}
    assert stacks[f"instantstart-{created['cluster_tag']}"] == "CREATE_COMPLETE"
    objects = aws("s3").list_objects_v2(Bucket=created["result"]["storage"]["bucket"])["Contents"]
    assert "lifecycle/on_create.sh" in [entry["Key"] for entry in objects]


def test_boto3_finds_the_control_plane_itself(aws: Client, created: Json) -> None:
    assert aws("sts").get_caller_identity()["Account"] == created["account_id"]
    tables = aws("dynamodb").list_tables()["TableNames"]
    keys = {name: aws("dynamodb").describe_table(TableName=name)["Table"]["KeySchema"] for name in tables}
    assert [key["AttributeName"] for key in keys["instantstart-operations"]] == ["operation_id", "record"]
    machines = aws("stepfunctions").list_state_machines()["stateMachines"]
    arn = next(machine["stateMachineArn"] for machine in machines if machine["name"].endswith("create_cluster"))
    executions = aws("stepfunctions").list_executions(stateMachineArn=arn)["executions"]
    assert (created["operation_id"], "SUCCEEDED") in [(each["name"], each["status"]) for each in executions]


def test_a_service_that_is_not_simulated_is_refused_as_unverified(aws: Client) -> None:
    with pytest.raises(ClientError, match="unverified") as refused:
        aws("sqs").list_queues()
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 501


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nothing", 404, "not_found"),
        ("GET", "/clusters/nobody", 404, "not_found"),
        ("DELETE", "/clusters", 405, "method_not_allowed"),
        ("POST", "/clusters", 400, "invalid_request"),
    ],
)
def test_what_cannot_be_done_is_answered_with_a_problem(
    local_run: LocalRun, method: str, path: str, status: int, code: str
) -> None:
    answer = local_run.send(method, path, {"unknown": 1} if method == "POST" else None)
    assert (answer.status, answer.media) == (status, "application/problem+json")
    assert answer.body["code"] == code
    assert answer.body["request_id"]


@pytest.mark.skipif(KUBECTL is None, reason="no kubectl: set KUBECTL or put it on the PATH")
def test_stock_kubectl_sees_nodes_and_claims(kubectl: Kubectl, created: Json) -> None:
    listed = kubectl("get", "nodes,pods,pvc", "-A")
    assert listed.count(" Ready ") == 3
    assert "persistentvolumeclaim/s3-claim" in listed
    node = kubectl("get", "nodes", "-o", "name", "-l", "node.kubernetes.io/instance-type=ml.p5.48xlarge").split()[0]
    described = kubectl("describe", node)
    assert "nvidia.com/gpu:" in described
    assert "topology.kubernetes.io/zone=us-west-2a" in described


@pytest.mark.skipif(KUBECTL is None, reason="no kubectl: set KUBECTL or put it on the PATH")
def test_each_cluster_has_a_context_and_the_newest_is_the_current_one(
    local_run: LocalRun, kubectl: Kubectl, created: Json
) -> None:
    assert kubectl("config", "current-context").strip() == created["cluster_tag"]
    assert local_run.create({"tag": "second"})["status"] == "SUCCEEDED"
    assert set(kubectl("config", "get-contexts", "-o", "name").split()) == {created["cluster_tag"], "second"}
    assert kubectl("config", "current-context").strip() == "second"
    assert "No resources found" not in kubectl("get", "namespaces")


def test_a_port_in_use_is_told_in_one_sentence(local_run: LocalRun, tmp_path: Path) -> None:
    port = urlsplit(local_run.endpoints["api"]).port or 0
    done = subprocess.run(command(tmp_path, port), cwd=ROOT, capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert f"Port {port} is in use" in done.stderr


def test_the_terminal_stays_quiet_and_an_interrupt_stops_all_within_two_seconds(tmp_path: Path) -> None:
    with serving(tmp_path) as run:
        assert run.send("POST", "/clusters", {"tag": "quiet"}).status == 202
        began = time.monotonic()
        run.process.send_signal(signal.SIGINT)
        rest, _ = run.process.communicate(timeout=10)
        seconds = time.monotonic() - began
    assert (run.process.returncode, rest) == (0, "")
    assert seconds < 2
    assert not (tmp_path / "endpoints.json").exists()
    logged = [json.loads(line) for line in (tmp_path / "functions.log").read_text(encoding="utf-8").splitlines()]
    assert ("POST", "/api/clusters", 202) in [(each["method"], each["route"], each["status"]) for each in logged]
