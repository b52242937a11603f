"""A grant: actions on resources, of which each role gets those that it declares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from infra.privilege.documents import Condition, Statement

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from infra.release import Place


@dataclass(frozen=True)
class Grant:
    """What may be done with some resources, under conditions of which all must hold.

    A function that declares some of the actions is granted those; where `functions` names some, others get none of it.
    """

    sid: str
    actions: tuple[str, ...]
    resources: tuple[str, ...]
    conditions: tuple[Condition, ...] = ()
    functions: tuple[str, ...] = ()

    def statement(self, function: str, declared: Collection[str]) -> Statement | None:
        """Give the statement of a function; None when there is nothing in it for that one."""
        actions = tuple(sorted(set(self.actions) & set(declared)))
        meant = not self.functions or function in self.functions
        return Statement(self.sid, actions, self.resources, self.conditions) if actions and meant else None

    def whole(self) -> Statement:
        """Give the statement with all of its actions."""
        return Statement(self.sid, tuple(sorted(self.actions)), self.resources, self.conditions)


def statements(grants: Iterable[Grant], function: str, declared: Collection[str]) -> Iterator[Statement]:
    """Give the statements of a function that declares some actions."""
    found = (grant.statement(function, declared) for grant in grants)
    return (each for each in found if each is not None)


def equal(key: str, *values: str) -> Condition:
    """Demand that a key has one of some values."""
    return Condition("StringEquals", key, values)


def like(key: str, *patterns: str) -> Condition:
    """Demand that a key matches one of some patterns."""
    return Condition("StringLike", key, patterns)


def named(place: Place, service: str, *resources: str) -> tuple[str, ...]:
    """Name resources of a regional service."""
    return tuple(place.arn(service, each) for each in resources)


def worldwide(place: Place, service: str, *resources: str) -> tuple[str, ...]:
    """Name resources of a service without regions."""
    return tuple(place.arn(service, each, region=False) for each in resources)


def owned_by_service(place: Place, service: str, *resources: str) -> tuple[str, ...]:
    """Name resources of a region whose ARNs name no account."""
    return tuple(f"arn:{place.partition}:{service}:{place.region}::{each}" for each in resources)


def buckets(place: Place, *names: str) -> tuple[str, ...]:
    """Name buckets, or objects as `<bucket>/<key>`: their ARNs name neither account nor region."""
    return tuple(f"arn:{place.partition}:s3:::{each}" for each in names)
