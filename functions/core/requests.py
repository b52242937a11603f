"""What every request has in common: unknown fields are refused, and no text passes for a number."""

from __future__ import annotations

import re

from pydantic import BaseModel, ConfigDict


class Wire(BaseModel):
    """Base of a request: unknown fields are refused, and no text passes for a number."""

    model_config = ConfigDict(extra="forbid", strict=True)


def fits(value: str, pattern: str, limit: int) -> bool:
    """Say whether a name matches a pattern as a whole and is short enough."""
    return len(value) <= limit and re.fullmatch(pattern, value) is not None
