"""How a stack's resource is read in its own service, mended in place, and compared with what its template wants."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from infra.local.simulators.service import JsonObject
from infra.local.simulators.stack_handlers import Call

# Members by which items of a list are the same thing: tags, policies of roles, access policies, logs.
_IDENTITIES = ("Key", "PolicyName", "PolicyArn", "Type")
# Whole documents: here a member more than in the template is a difference too.
_DOCUMENTS = frozenset({"AssumeRolePolicyDocument", "PolicyDocument"})
# Tags that others add are left alone: see the README.
_OPEN_LISTS = frozenset({"Tags"})
_ABSENT = object()

Read: TypeAlias = Callable[[Call], JsonObject | None]
Mend: TypeAlias = Callable[[Call, frozenset[str]], None]


@dataclass(frozen=True)
class Live:
    """A type's way to its service: `read` gives properties as templates write them, None for what is gone.

    `mend` brings the named properties to `call.properties`; a change of one in `recreates` needs a new resource.
    """

    read: Read
    mend: Mend
    recreates: frozenset[str] = frozenset()
    unread: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Difference:
    """One property that is not as expected, in CloudFormation's terms."""

    path: str
    expected: object
    actual: object
    kind: str

    @property
    def property_name(self) -> str:
        """The top-level property that it is about."""
        return self.path.split("/")[1]


def differences(live: Live, expected: Mapping[str, object], actual: JsonObject) -> list[Difference]:
    """Every difference of what a template defines; what it leaves open is not looked at."""
    wanted = {name: value for name, value in expected.items() if name not in live.unread}
    return list(_members("", wanted, actual, live.unread))


def _members(
    path: str, expected: Mapping[str, object], actual: JsonObject, unread: frozenset[str]
) -> Iterator[Difference]:
    for name, value in expected.items():
        if name not in unread:
            yield from _compared(f"{path}/{name}", value, actual.get(name, _ABSENT), unread)


def _compared(path: str, expected: object, actual: object, unread: frozenset[str]) -> Iterator[Difference]:
    if actual is _ABSENT:
        yield Difference(path, expected, None, "REMOVE")
    elif isinstance(expected, dict) and isinstance(actual, dict):
        yield from _members(path, expected, actual, unread)
        if not _DOCUMENTS.isdisjoint(path.split("/")):
            yield from (Difference(f"{path}/{name}", None, actual[name], "ADD") for name in actual.keys() - expected)
    elif isinstance(expected, list) and isinstance(actual, list):
        yield from _items(path, expected, actual, unread)
    elif _written(expected) != _written(actual):
        yield Difference(path, expected, actual, "NOT_EQUAL")


def _items(path: str, expected: list[object], actual: list[object], unread: frozenset[str]) -> Iterator[Difference]:
    """Lists are compared as sets of things; what has an identity is compared with itself."""
    left = {_identity(item): item for item in actual}
    for index, item in enumerate(expected):
        found = left.pop(_identity(item), _ABSENT)
        yield from _compared(f"{path}/{index}", item, found, unread)
    if path.rpartition("/")[2] not in _OPEN_LISTS:
        for index, item in enumerate(left.values(), len(expected)):
            yield Difference(f"{path}/{index}", None, item, "ADD")


def _identity(item: object) -> str:
    if isinstance(item, dict):
        named = next((name for name in _IDENTITIES if name in item), None)
        if named:
            return f"{named}={item[named]}"
    return _written(item)


def _written(value: object) -> str:
    """Values as they are compared: templates write numbers and truths as text now and then."""
    if isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int | float | str):
        return str(value)
    return json.dumps(value, sort_keys=True)


def shown(value: object) -> str:
    """A value as CloudFormation's answers write it."""
    if value is None:
        return "null"
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def changed_tags(call: Call) -> list[dict[str, str]]:
    """The tags that a template wants of a resource, those of the stack included."""
    return call.tag_list
