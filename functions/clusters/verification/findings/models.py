"""What the last look reports beside what there is."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class Severity(StrEnum):
    """How much a finding matters: what is low leaves the cluster usable."""

    LOW = "low"


class Finding(BaseModel):
    """Something that is not as it should be and does not keep the cluster from being used."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: str
    severity: Severity
    message: str
    resources: list[str]
    remedy: str
