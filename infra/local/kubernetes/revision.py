"""The point of a store's history at which a write happens."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Revision:
    """The resourceVersion a write gets, and its moment."""

    version: int
    moment: datetime
