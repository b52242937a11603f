"""Drives the local host over HTTP as a client would, with simulated time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from infra.local.host import LocalHost

Json = dict[str, Any]
TERMINAL = {"SUCCEEDED", "FAILED", "CANCELLED"}


@dataclass(frozen=True)
class Answer:
    """A status and the parsed body."""

    status: int
    headers: Mapping[str, str]
    body: Json


class Driver:
    """Requests to one host."""

    def __init__(self, host: LocalHost) -> None:
        self.host = host

    def send(self, method: str, path: str, body: Json | None = None, key: str | None = None) -> Answer:
        """Send one request."""
        response = self.host.request(method, path, body, {"idempotency-key": key} if key else None)
        return Answer(response.status, response.headers, json.loads(response.body))

    def get(self, path: str) -> Json:
        """Read something that is there."""
        answer = self.send("GET", path)
        assert answer.status == 200, answer
        return answer.body

    def post(self, path: str, body: Json | None = None, key: str | None = None) -> Json:
        """Begin an operation that is accepted."""
        answer = self.send("POST", path, body, key)
        assert answer.status == 202, answer
        return answer.body

    def create(self, request: Json) -> Json:
        """Create a cluster and wait for the end."""
        return self.finish(self.post("/api/clusters", request)["operation_id"])

    def finish(self, operation_id: str) -> Json:
        """Wait until an operation has ended, a day of simulated time at most."""
        deadline = self.host.clock.time() + 86_400
        while True:
            operation = self.get(f"/api/operations/{operation_id}?wait=20")
            if operation["status"] in TERMINAL:
                return operation
            assert self.host.clock.time() < deadline, operation

    def until(self, operation_id: str, stage: str, status: str = "RUNNING") -> Json:
        """Wait until a stage of an operation has a status."""
        deadline = self.host.clock.time() + 86_400
        while True:
            operation = self.get(f"/api/operations/{operation_id}?wait=1")
            if stage_of(operation, stage)["status"] == status:
                return operation
            assert operation["status"] not in TERMINAL, operation
            assert self.host.clock.time() < deadline, operation


def cluster_request(tag: str | None = None, zone: str = "us-west-2c", count: int = 1) -> Json:
    """The request of the article's conversation, for a tag of one's own."""
    group = {"name": "gpu", "instance_type": "ml.g6.4xlarge", "instance_count": count}
    request: Json = {"hyperpod": {"availability_zone": zone, "instance_groups": [group]}, "storage": {}}
    return request | ({"tag": tag} if tag else {})


def stage_of(operation: Json, name: str) -> Json:
    """The stage of that name."""
    found: Json = next(stage for stage in operation["stages"] if stage["name"] == name)
    return found
