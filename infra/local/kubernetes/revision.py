"""The point of a store's history at which a write happens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True)
class Revision:
    """The resourceVersion a write gets, and its moment."""

    version: int
    moment: datetime
