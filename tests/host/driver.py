"""Drives the local host over HTTP as a client would, with simulated time."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from types_boto3_ec2.type_defs import FilterTypeDef

from infra.local.clock import Clock
from infra.local.faults import Fault
from infra.local.host import LocalHost
from infra.topology import MACHINES, PREFIX

Json = dict[str, Any]
Result = TypeVar("Result")
TERMINAL = {"SUCCEEDED", "FAILED", "CANCELLED"}
LOOK_EVERY_SECONDS = 30
WAIT_SECONDS = 120


@dataclass(frozen=True)
class Answer:
    """A status and the parsed body."""

    status: int
    headers: Mapping[str, str]
    body: Json

    @property
    def fields(self) -> list[str]:
        """The fields that a problem blames."""
        return [error["field"] for error in self.body["errors"]]


class Driver:
    """Requests to one host."""

    def __init__(self, host: LocalHost) -> None:
        self.host = host

    # -- requests

    def send(self, method: str, path: str, body: object = None, key: str | None = None) -> Answer:
        """Send one request."""
        response = self.host.request(method, path, body, {"idempotency-key": key} if key else None)  # type: ignore[arg-type]
        return Answer(response.status, response.headers, json.loads(response.body or b"{}"))

    def get(self, path: str) -> Json:
        """Read something that is there."""
        answer = self.send("GET", path)
        assert answer.status == 200, answer
        return answer.body

    def post(self, path: str, body: object = None, key: str | None = None, *, method: str = "POST") -> Json:
        """Begin an operation that is accepted."""
        answer = self.send(method, path, body, key)
        assert answer.status == 202, answer
        return answer.body

    def operation(self, operation_id: str) -> Json:
        """Read an operation as it stands."""
        return self.get(f"/api/operations/{operation_id}")

    def together(self, calls: Sequence[Callable[[], Result]]) -> list[Result]:
        """Make calls at once, each in a thread of its own."""
        return _together(self.host.clock, calls)

    # -- operations to their end

    def create(self, request: Json) -> Json:
        """Create a cluster and wait for the end."""
        return self.run("/api/clusters", request)

    def run(self, path: str, body: object = None, *, method: str = "POST") -> Json:
        """Begin an operation and wait for the end."""
        return self.finish(self.post(path, body, method=method)["operation_id"])

    def retry(self, operation_id: str) -> Json:
        """Retry an operation and wait for the end of the new one."""
        return self.run(f"/api/operations/{operation_id}/retry")

    def preview(self, path: str, query: str = "", *, method: str = "DELETE") -> Json:
        """Ask what a request would do; gives findings and preview."""
        answer = self.send(method, f"{path}?dry_run=true{query and '&' + query}")
        assert answer.status == 200, answer
        return answer.body

    def begin_deletion(self, path: str, query: str = "") -> Json:
        """Begin a deletion, confirmed by its own preview."""
        digest = self.preview(path, query)["preview"]["digest"]
        return self.post(f"{path}?confirm={digest}{query and '&' + query}", method="DELETE")

    def delete(self, path: str, query: str = "") -> Json:
        """Delete and wait for the end."""
        return self.finish(self.begin_deletion(path, query)["operation_id"])

    def cancel(self, operation_id: str) -> Answer:
        """Ask an operation to stop."""
        return self.send("POST", f"/api/operations/{operation_id}/cancel")

    def finish(self, operation_id: str, within: float = 14_400) -> Json:
        """Wait until an operation has ended, four hours of simulated time at most."""
        return self._look(
            operation_id, lambda operation: operation["status"] in TERMINAL, within, min(within / 4, WAIT_SECONDS)
        )

    def until(self, operation_id: str, stage: str, status: str = "RUNNING", every: float = 2) -> Json:
        """Wait until a stage of an operation has a status."""

        def reached(operation: Json) -> bool:
            assert operation["status"] not in TERMINAL or stage_of(operation, stage)["status"] == status, operation
            return bool(stage_of(operation, stage)["status"] == status)

        return self._look(operation_id, reached, 14_400, every)

    def until_said(self, operation_id: str, stage: str, words: str, every: float = LOOK_EVERY_SECONDS) -> Json:
        """Wait until a stage of an operation says something."""

        def said(operation: Json) -> bool:
            assert operation["status"] not in TERMINAL, operation
            return words in (stage_of(operation, stage)["message"] or "")

        return self._look(operation_id, said, 14_400, every)

    def _look(self, operation_id: str, enough: Callable[[Json], bool], within: float, every: float) -> Json:
        deadline = self.host.clock.time() + within
        while not enough(operation := self.operation(operation_id)):
            assert self.host.clock.time() < deadline, operation
            self.sleep(every)
        return operation

    def sleep(self, seconds: float) -> None:
        """Let simulated time pass."""
        self.host.clock.sleep(seconds)

    # -- the host

    def failing(self, path: str, body: object, *faults: Fault) -> Json:
        """Begin an operation while faults are planned, and wait for the end."""
        with self.host.faults.planned(*faults):
            return self.run(path, body)

    def executions(self, machine: str, status: str | None = None) -> list[Json]:
        """List the executions of a state machine."""
        listed = [dict(execution) for execution in self.host.executions(machine)]
        return [each for each in listed if status in (None, each["status"])]

    def stop(self, execution: Json) -> None:
        """Abort an execution, as a person in the console of Step Functions may."""
        self.host.client("stepfunctions").stop_execution(executionArn=execution["executionArn"])

    def stop_everything(self) -> None:
        """Abort whatever still runs."""
        while running := [each for machine in MACHINES for each in self.executions(machine.name, "RUNNING")]:
            for execution in running:
                self.stop(execution)
            self.sleep(1)

    def states(self, machine: str, operation_id: str) -> list[str]:
        """Name the states that the executions of an operation on a machine went through, in order."""
        client, names = self.host.client("stepfunctions"), []
        for execution in self.executions(machine):
            if execution["name"].startswith(operation_id):
                history = client.get_execution_history(executionArn=execution["executionArn"], maxResults=1000)
                entered = [event.get("stateEnteredEventDetails") for event in history["events"]]
                names += [details["name"] for details in entered if details]
        return names

    def made(self, tag: str) -> Counter[str]:
        """Count what exists of a cluster, as AWS tells it."""
        client, eks = self.host.client, f"eks-cluster-{tag}"
        stacks = client("cloudformation").describe_stacks()["Stacks"]
        clusters = client("eks").list_clusters()["clusters"]
        counts = Counter(stack=sum(stack["StackName"] == f"instantstart-{tag}" for stack in stacks))
        counts["eks"] = clusters.count(eks)
        if eks in clusters:
            counts["addons"] = len(client("eks").list_addons(clusterName=eks)["addons"])
            counts["access_entries"] = len(client("eks").list_access_entries(clusterName=eks)["accessEntries"])
        ec2, ours = client("ec2"), [FilterTypeDef(Name="tag:instantstart:cluster", Values=[tag])]
        counts["vpcs"] = len(ec2.describe_vpcs(Filters=ours)["Vpcs"])
        counts["subnets"] = len(ec2.describe_subnets(Filters=ours)["Subnets"])
        counts["route_tables"] = len(ec2.describe_route_tables(Filters=ours)["RouteTables"])
        listed = client("sagemaker").list_clusters(NameContains=f"hp-cluster-{tag}")["ClusterSummaries"]
        counts["hyperpod"] = len(listed)
        return +counts


def execution_arn(machine: str, name: str) -> str:
    """Name an execution of one of our state machines on the host."""
    return f"arn:aws:states:us-west-2:123456789012:execution:{PREFIX}{machine}:{name}"


def cluster_request(tag: str | None = None, zone: str = "us-west-2c", count: int = 1) -> Json:
    """The request of the article's conversation, for a tag of one's own."""
    return ({"tag": tag} if tag else {}) | {"hyperpod": hyperpod_request(zone, count), "storage": {}}


def hyperpod_request(zone: str = "us-west-2c", count: int = 1) -> Json:
    """The HyperPod part of that request."""
    group = {"name": "gpu", "instance_type": "ml.g6.4xlarge", "instance_count": count}
    return {"availability_zone": zone, "instance_groups": [group]}


def stage_of(operation: Json, name: str) -> Json:
    """The stage of that name."""
    found: Json = next(stage for stage in operation["stages"] if stage["name"] == name)
    return found


def statuses(operation: Json) -> dict[str, str]:
    """The status of each stage, by name."""
    return {stage["name"]: stage["status"] for stage in operation["stages"]}


def _together(clock: Clock, calls: Sequence[Callable[[], Result]]) -> list[Result]:
    """Make calls at once, each in a thread of its own."""
    gate, results = threading.Barrier(len(calls)), dict[int, Result]()

    def call(place: int) -> None:
        gate.wait()
        results[place] = calls[place]()

    threads = [clock.thread(partial(call, place)) for place in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [results[place] for place in range(len(calls))]
