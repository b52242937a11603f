"""Moments as Kubernetes writes them: UTC, whole seconds."""

from __future__ import annotations

from datetime import datetime, timedelta

from infra.local.kubernetes.documents import text
from infra.local.kubernetes.metadata import parse_timestamp


def moment_at(document: object, *path: str) -> datetime | None:
    """The moment written at a path, None when there is none."""
    written = text(document, *path)
    return parse_timestamp(written) if written else None


def whole(moment: datetime) -> datetime:
    """A moment as it would be read back once written."""
    return moment.replace(microsecond=0)


def later(moment: datetime, seconds: float) -> datetime:
    """A moment some seconds after another."""
    return moment + timedelta(seconds=seconds)


def earliest(*moments: datetime | None) -> datetime | None:
    """The first of the moments that are set."""
    return min((moment for moment in moments if moment is not None), default=None)


def earliest_number(*numbers: int | None) -> int | None:
    """The smallest of the numbers that are set."""
    return min((number for number in numbers if number is not None), default=None)
