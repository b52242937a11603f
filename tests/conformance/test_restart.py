"""A host that is killed in the middle of its work goes on where it was, as a person sees it who starts it again."""

from __future__ import annotations

import stat
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import boto3

from tests.conformance.conftest import ENDED, PATIENCE_SECONDS, Json, LocalRun, serving

REQUEST = {
    "tag": "first",
    "hyperpod": {
        "availability_zone": "us-west-2c",
        "instance_groups": [{"name": "gpu", "instance_type": "ml.g6.4xlarge", "instance_count": 1}],
    },
    "storage": {},
}


def followed(run: LocalRun, operation_id: str, enough: Callable[[Json], bool]) -> Json:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not enough(operation := run.send("GET", f"/operations/{operation_id}?wait=10").body):
        assert time.monotonic() < deadline, operation
    return operation


def finished(operation: Json) -> dict[str, Json]:
    return {stage["name"]: stage for stage in operation["stages"] if stage["status"] == "SUCCEEDED"}


def made(run: LocalRun) -> Counter[str]:
    connect: Any = boto3.Session("local", "local", region_name=run.endpoints["region"]).client
    client = {
        name: connect(name, endpoint_url=run.endpoints["aws"]) for name in ("cloudformation", "ec2", "eks", "sagemaker")
    }
    ours = [{"Name": "tag:instantstart:cluster", "Values": ["first"]}]
    return Counter(
        stacks=len(client["cloudformation"].describe_stacks()["Stacks"]),
        eks=len(client["eks"].list_clusters()["clusters"]),
        addons=len(client["eks"].list_addons(clusterName="eks-cluster-first")["addons"]),
        entries=len(client["eks"].list_access_entries(clusterName="eks-cluster-first")["accessEntries"]),
        subnets=len(client["ec2"].describe_subnets(Filters=ours)["Subnets"]),
        hyperpod=len(client["sagemaker"].list_clusters()["ClusterSummaries"]),
        nodes=len(client["sagemaker"].list_cluster_nodes(ClusterName="hp-cluster-first")["ClusterNodeSummaries"]),
    )


def test_a_killed_host_goes_on_where_it_was_and_makes_nothing_twice(tmp_path: Path) -> None:
    with serving(tmp_path) as run:
        operation_id = run.send("POST", "/clusters", REQUEST).body["operation_id"]
        followed(run, operation_id, lambda operation: "addon:coredns" in finished(operation))
        run.process.kill()
    kept = tmp_path / "state"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    with serving(tmp_path) as run:
        assert f"begun anew: {operation_id}" in run.printed
        before = finished(run.send("GET", f"/operations/{operation_id}").body)
        operation = followed(run, operation_id, lambda operation: operation["status"] in ENDED)
        assert operation["status"] == "SUCCEEDED", operation["error"]
        # What had finished stands as it was: nobody began it again.
        assert {name: finished(operation)[name] for name in before} == before
        assert made(run) == Counter(stacks=1, eks=1, addons=5, entries=3, subnets=5, hyperpod=1, nodes=1)
