"""What callers send about drift and what they get, and what is kept of the last detection."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from functions.core.drifts import Drift, Unknown


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class DriftReport(_Record):
    """What the last detection of a cluster found; `more` counts what is not listed.

    `in_sync` is Unknown when nothing differs of what could be seen, and something could not be seen.
    """

    cluster_tag: str
    operation_id: str
    detected_at: datetime
    spec_version: int
    in_sync: Literal["True", "False", "Unknown"]
    message: str
    drifts: list[Drift]
    unknown: list[Unknown]
    more: int = 0


class RepairCluster(BaseModel):
    """The request that brings back what drifted.

    `accept_replacement` names resources of the foundation stack, by logical id, that may be made anew in the place of
    what stands; without it such a repair is refused.
    """

    model_config = ConfigDict(extra="forbid")

    accept_replacement: list[Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9]{1,255}$")]] = Field(
        default=[], max_length=50, description="Logical ids of stack resources that may be made anew."
    )
