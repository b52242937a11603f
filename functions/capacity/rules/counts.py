"""Decisions about capacity: when a group has what was asked for, in instances and in nodes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def counted(have: Mapping[str, int], wanted: Mapping[str, int]) -> str:
    """Write how far each group is, for the reader: `gpu 1/4, cpu 2/2`."""
    return ", ".join(f"{group} {have.get(group, 0)}/{count}" for group, count in wanted.items())


def complete(have: Mapping[str, int], wanted: Mapping[str, int]) -> bool:
    """Say whether there are exactly the groups that were asked for, each with exactly its count."""
    return dict(have) == dict(wanted)


def by_group(groups: Iterable[str]) -> dict[str, int]:
    """Count members by their group's name."""
    return dict(Counter(groups))
