"""What AWS tells of a cluster by itself: its events, and the conditions that follow from them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

Truth = Literal["True", "False", "Unknown"]


class Record(BaseModel):
    """Base of what is stored and answered."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ClusterEvent(Record):
    """What happened to a HyperPod cluster, as AWS told: `at` its moment, `recorded_at` when we learnt of it.

    `level` is Info, Warn or Error, and `resource_type` Cluster, InstanceGroup or Instance, in AWS's own words.
    """

    event_id: str
    cluster_tag: str
    at: datetime
    recorded_at: datetime
    kind: Literal["state_change", "node_health", "event"]
    level: str
    resource_type: str
    instance_group: str | None = None
    instance_id: str | None = None
    message: str
    cause: str | None = None


class ClusterEventPage(Record):
    """One page of a cluster's events, newest first."""

    events: list[ClusterEvent]
    next_token: str | None = None


class NodeHealth(Record):
    """What the last event about a node's health said; `order` ranks events about one thing by their time."""

    healthy: bool
    order: str
    reason: str = ""


class ObservedCondition(Record):
    """A condition of a cluster as bus events tell it; `order` is that of the newest event it rests on."""

    status: Truth
    reason: str
    message: str
    since: datetime
    order: str
    nodes: dict[str, NodeHealth] = {}
    version: int = 1
