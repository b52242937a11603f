"""What every request has in common: unknown fields are refused, and no text passes for a number."""

from __future__ import annotations

import re
from typing import LiteralString

from pydantic import BaseModel, ConfigDict
from pydantic_core import PydanticCustomError


class Wire(BaseModel):
    """Base of a request: unknown fields are refused, and no text passes for a number."""

    model_config = ConfigDict(extra="forbid", strict=True)


def fits(value: str, pattern: str, limit: int) -> bool:
    """Say whether a name matches a pattern as a whole and is short enough."""
    return len(value) <= limit and re.fullmatch(pattern, value) is not None


def check_name(value: str, kind: LiteralString, pattern: str, limit: int, reason: LiteralString = "") -> str:
    """Refuse a name that does not match a pattern or is too long, and say what fits; `kind` names the rule."""
    if not fits(value, pattern, limit):
        said = "has to match {pattern} and have at most {limit} characters" + reason
        raise PydanticCustomError(kind, said, {"pattern": pattern, "limit": limit})
    return value
