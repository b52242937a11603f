"""What goes to the clients of WebSockets.

Messages may come twice and late: an operation is known by its `version`, an audit entry and a cluster event by their
ids. A client keeps the newest version and leaves an older one aside.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from functions.core.errors import ProblemBody
from functions.core.ledger.models import AuditEntry, Operation
from functions.core.observations import ClusterEvent


class Message(BaseModel):
    """Base of what is sent."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class OperationMessage(Message):
    """An operation has changed; `operation` is what GET /api/operations/{operation_id} gives.

    It is null where it is larger than a message may be: read it there.
    """

    type: Literal["operation"] = "operation"
    operation_id: str
    version: int
    operation: Operation | None


class AuditMessage(Message):
    """Somebody did something to an operation."""

    type: Literal["audit"] = "audit"
    entry: AuditEntry


class ClusterEventMessage(Message):
    """AWS told something about a cluster."""

    type: Literal["cluster_event"] = "cluster_event"
    event: ClusterEvent


class Subscribed(Message):
    """The subscription stands and everything missed was sent before this.

    `complete` is false where more was missed than is sent again: read the lists under /api. So it always is where
    everything is watched `after` a moment, because what AWS told of clusters meanwhile is not sent again.
    """

    type: Literal["subscribed"] = "subscribed"
    topic: str
    at: datetime
    complete: bool


class Unsubscribed(Message):
    """The subscription is gone."""

    type: Literal["unsubscribed"] = "unsubscribed"
    topic: str


class Pong(Message):
    """The connection is open."""

    type: Literal["pong"] = "pong"


class ProblemMessage(Message):
    """A message of the client was refused."""

    type: Literal["problem"] = "problem"
    problem: ProblemBody
