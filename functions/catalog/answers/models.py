"""What every answer of the catalog says of itself."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Source = Literal["run_time", "shipped"]


class Record(BaseModel):
    """Base of what the catalog answers with."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Unknown(Record):
    """A part of the answer that AWS did not give: which, why not, and what helps."""

    part: str
    reason: str
    remedy: str


class CatalogAnswer(Record):
    """Base of an answer. What AWS did not say is null in it, never empty, and named in `unknown`."""

    source: Source = Field(description="`run_time`: AWS said it just now. `shipped`: it is this release's own table.")
    unknown: list[Unknown] = []
