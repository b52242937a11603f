"""Findings: what was noticed about a request before anything was made, good to know or in the way."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from collections.abc import Iterable


class Level(StrEnum):
    """How much a finding matters: an error refuses the request, the others are told."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Finding(BaseModel):
    """One thing noticed: `check` names the rule, `field` what the caller would change, `allowed` to what."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    check: str
    level: Level
    message: str
    field: str | None = None
    resource: str | None = None
    remedy: str | None = None
    allowed: list[str] | None = None


UNCHECKED: Final = "unchecked"


def unchecked(check: str, why: str) -> Finding:
    """Say that a check did not come to an end; it refuses nothing."""
    return Finding(check=check, level=Level.WARNING, message=f"{UNCHECKED}: {why}")


def errors_in(findings: Iterable[Finding]) -> list[Finding]:
    """Give the findings that refuse the request."""
    return [finding for finding in findings if finding.level is Level.ERROR]
