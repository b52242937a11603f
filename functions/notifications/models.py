"""What is told, and what it is told from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True)
class Notice:
    """One thing that is worth telling; `key` says what it is, and for the time of `silence` it is told once.

    `subject` is what SNS takes for one: ASCII, one line, less than 100 characters.
    """

    key: str
    subject: str
    text: str
    silence: timedelta


@dataclass(frozen=True)
class PlanUse:
    """A training plan that groups of clusters run on; `groups` are written `<cluster>/<group>`."""

    arn: str
    name: str
    ends_at: datetime
    groups: tuple[str, ...]
