"""The ticket that opens a WebSocket, and what a client sends over it.

A subscription names one operation, one cluster, what the caller began, or everything. `after_version` and `after` say
what the client has seen already, so that a connection that dropped goes on without loss: the newest `version` it was
told of an operation, and the newest of all `at` and `recorded_at` it was told.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter, model_validator
from pydantic_core import PydanticCustomError

Word = Annotated[str, Field(min_length=1, max_length=64)]


class Ticket(BaseModel):
    """What opens one WebSocket, once, as the query parameter `ticket` of its address."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ticket: str
    expires_at: datetime


class Incoming(BaseModel):
    """Base of what a client sends: unknown fields are refused, and no text passes for a number."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Topic(Incoming):
    """What a message is about: exactly one of an operation, a cluster, the caller's own operations, and everything."""

    operation_id: Word | None = None
    cluster_tag: Word | None = None
    mine: Literal[True] | None = None
    all: Literal[True] | None = None

    @model_validator(mode="after")
    def _names_one_thing(self) -> Topic:
        named = [name for name in Topic.model_fields if getattr(self, name) is not None]
        if len(named) != 1:
            raise PydanticCustomError(
                "one_topic",
                "names {count} of operation_id, cluster_tag, mine and all; exactly one is needed",
                {"count": len(named), "allowed": list(Topic.model_fields)},
            )
        return self


class Subscribe(Topic):
    """Watch from now on, and tell what changed since `after_version` or `after`; without them, how things stand."""

    action: Literal["subscribe"]
    after_version: int | None = Field(default=None, ge=0)
    after: AwareDatetime | None = None


class Unsubscribe(Topic):
    """Do not watch any more."""

    action: Literal["unsubscribe"]


class Ping(Incoming):
    """Keep the connection open: ten minutes of silence close it."""

    action: Literal["ping"]


Command = Annotated[Subscribe | Unsubscribe | Ping, Field(discriminator="action")]
COMMANDS: TypeAdapter[Command] = TypeAdapter(Command)
