"""Identifiers that sort by the time they were made."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Final

from functions.core import runtime

CROCKFORD: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_RANDOM_BITS: Final = 80


@dataclass
class _Sequence:
    """The latest identifier of this process, so that the next one sorts after it."""

    latest: int = 0
    lock: Lock = field(default_factory=Lock)

    def next(self, milliseconds: int) -> int:
        with self.lock:
            if self.latest >> _RANDOM_BITS == milliseconds:
                self.latest += 1
            else:
                # One bit less than there is room for: successors within a millisecond never carry over.
                self.latest = milliseconds << _RANDOM_BITS | secrets.randbits(_RANDOM_BITS - 1)
            return self.latest


_sequence: Final = _Sequence()


def new_identifier(at: datetime | None = None) -> str:
    """Make a ULID: 48 bits of milliseconds, then 80 random bits, in 26 Crockford characters.

    Those that one process makes within a millisecond sort in the order of their making. It is one of the present
    moment unless another one is given.
    """
    return _written(_sequence.next(_milliseconds(at or runtime.now())))


def first_identifier(at: datetime) -> str:
    """Give the identifier that sorts before all that are made at a moment or later."""
    return _written(_milliseconds(at) << _RANDOM_BITS)


def preceding(identifier: str) -> str:
    """Give the identifier right before one."""
    value = 0
    for character in identifier:
        value = value << 5 | CROCKFORD.index(character)
    return _written(max(value - 1, 0))


def _milliseconds(at: datetime) -> int:
    return (at - _EPOCH) // timedelta(milliseconds=1)


def _written(value: int) -> str:
    return "".join(CROCKFORD[value >> shift & 31] for shift in range(125, -1, -5))
