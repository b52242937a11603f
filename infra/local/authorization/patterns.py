"""IAM's wildcards: `*` for any characters, `?` for one, nothing else."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_ARN_PARTS: Final = 6


def matches(pattern: str, text: str) -> bool:
    """Say whether a text is of a pattern; letters are compared as they are."""
    return _compiled(pattern).fullmatch(text) is not None


def matches_action(pattern: str, action: str) -> bool:
    """Say whether a pattern names an action, in whatever case."""
    return matches(pattern.lower(), action.lower())


@lru_cache(maxsize=16_384)
def matches_arn(pattern: str, arn: str) -> bool:
    """Compare ARNs part by part: a wildcard stays within its part, of which only the last holds colons."""
    if pattern == "*":
        return True
    expected, actual = pattern.split(":", _ARN_PARTS - 1), arn.split(":", _ARN_PARTS - 1)
    if len(expected) != _ARN_PARTS or len(actual) != _ARN_PARTS:
        return False
    return all(matches(*pair) for pair in zip(expected, actual, strict=True))


@lru_cache(maxsize=4_096)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."), re.DOTALL)
