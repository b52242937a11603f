"""What AWS services put on the default event bus."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from infra.local.simulators.service import JsonObject


@dataclass(frozen=True)
class BusEvent:
    """One event in AWS's shape, before the bus gives it an id, its account and its region.

    Source: EventBridge user guide, "AWS service event metadata".
    """

    source: str
    detail_type: str
    detail: JsonObject
    resources: tuple[str, ...]
    time: datetime
