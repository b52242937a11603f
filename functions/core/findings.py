"""Findings: what was noticed about a request before anything was made, good to know or in the way."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ConfigDict

from functions.core.errors import (
    AlreadyExists,
    Cause,
    Conflict,
    DeploymentFault,
    FieldError,
    Forbidden,
    InvalidRequest,
    Layer,
    NotFound,
    OperationInProgress,
    PreconditionFailed,
    Problem,
    QuotaExceeded,
    Unavailable,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# What an error finding can refuse a request as; the first of these speaks for all.
_REFUSALS: Final[tuple[type[Problem], ...]] = (
    InvalidRequest,
    Forbidden,
    NotFound,
    AlreadyExists,
    PreconditionFailed,
    OperationInProgress,
    QuotaExceeded,
    Conflict,
    DeploymentFault,
    Unavailable,
)
_BY_CODE: Final = {refusal.code: refusal for refusal in _REFUSALS}


class Level(StrEnum):
    """How much a finding matters: an error refuses the request, the others are told."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Finding(BaseModel):
    """One thing noticed: `check` names the rule, `field` what the caller would change, `allowed` to what.

    `code` is the code of the refusal that an error gives; without one it is a conflict.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    check: str
    level: Level
    message: str
    field: str | None = None
    resource: str | None = None
    remedy: str | None = None
    allowed: list[str] | None = None
    code: str | None = None


UNCHECKED: Final = "unchecked"


def unchecked(check: str, why: str) -> Finding:
    """Say that a check did not come to an end; it refuses nothing."""
    return Finding(check=check, level=Level.WARNING, message=f"{UNCHECKED}: {why}")


def unfinished(findings: Iterable[Finding]) -> bool:
    """Say whether a check did not come to an end: then it runs again before anything is made."""
    return any(finding.message.startswith(f"{UNCHECKED}: ") for finding in findings)


def errors_in(findings: Iterable[Finding]) -> list[Finding]:
    """Give the findings that refuse the request."""
    return [finding for finding in findings if finding.level is Level.ERROR]


def refusal(findings: Sequence[Finding]) -> Problem | None:
    """Make the refusal of a request by what was found; None when nothing is in the way.

    What only another request can put right comes first; all errors are told at their fields.
    """
    errors = sorted(errors_in(findings), key=lambda finding: _REFUSALS.index(_kind_of(finding)))
    if not errors:
        return None
    first, more = errors[0], f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    kind = _kind_of(first)
    return kind(
        f"{first.field}: {first.message}{more}" if first.field else f"{first.message}{more}",
        errors=[_field_error(each, first) for each in errors],
        cause=Cause(
            layer=Layer.CALLER if kind is InvalidRequest else Layer.AWS,
            code=first.check.upper(),
            resource=first.resource,
        ),
        remedy=first.remedy,
    )


def _field_error(finding: Finding, first: Finding) -> FieldError:
    """Tell a finding at its field; what helps with the first is what helps with the refusal."""
    remedy = finding.remedy if finding.remedy != first.remedy else None
    return FieldError(field=finding.field or "body", message=finding.message, allowed=finding.allowed, remedy=remedy)


def _kind_of(finding: Finding) -> type[Problem]:
    return _BY_CODE.get(finding.code or Conflict.code, Conflict)
