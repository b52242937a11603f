"""Who sends a request."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Identity:
    """An authenticated user and the groups they are in."""

    username: str
    groups: tuple[str, ...] = ()
