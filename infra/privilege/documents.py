"""What a role may do, as plain data: the statements that a host writes into IAM, and another host evaluates."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import JsonValue

VERSION = "2012-10-17"


@dataclass(frozen=True)
class Condition:
    """One comparison of a statement: an operator of IAM, a condition key, and the values of which one must match."""

    operator: str
    key: str
    values: tuple[str, ...]


class Effect(StrEnum):
    """What a statement does where it holds; a denial wins over what any other allows."""

    ALLOW = "Allow"
    DENY = "Deny"


@dataclass(frozen=True)
class Statement:
    """Actions that are allowed on resources, under conditions of which all must hold; `sid` says what for.

    Roles' own statements allow; those of the boundary deny too, and `elsewhere` on all resources but the named.
    """

    sid: str
    actions: tuple[str, ...]
    resources: tuple[str, ...]
    conditions: tuple[Condition, ...] = ()
    effect: Effect = Effect.ALLOW
    elsewhere: bool = False

    def as_json(self) -> dict[str, JsonValue]:
        """Write the statement as IAM's policy grammar has it."""
        written: dict[str, JsonValue] = {
            "Sid": self.sid,
            "Effect": self.effect.value,
            "Action": [*self.actions],
            "NotResource" if self.elsewhere else "Resource": [*self.resources],
        }
        if self.conditions:
            written["Condition"] = _conditions(self.conditions)
        return written


@dataclass(frozen=True)
class Document:
    """The policy of one role."""

    statements: tuple[Statement, ...]

    @property
    def size(self) -> int:
        """Count the characters as IAM does: without white space."""
        return len(json.dumps(self.as_json(), separators=(",", ":")))

    def without(self, *sids: str) -> Document:
        """Give the document that lacks some statements."""
        return Document(tuple(each for each in self.statements if each.sid not in sids))

    def only(self, *sids: str) -> Document:
        """Give the document that has some statements alone."""
        return Document(tuple(each for each in self.statements if each.sid in sids))

    def as_json(self) -> dict[str, JsonValue]:
        """Write the document as IAM's policy grammar has it."""
        return {"Version": VERSION, "Statement": [each.as_json() for each in self.statements]}


def _conditions(conditions: tuple[Condition, ...]) -> dict[str, JsonValue]:
    written: dict[str, dict[str, JsonValue]] = {}
    for each in conditions:
        written.setdefault(each.operator, {})[each.key] = [*each.values]
    return {operator: {**keys} for operator, keys in written.items()}
