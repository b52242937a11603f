"""What is granted, and what the notes of a run say of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from infra.local.authorization.uses import Use
from infra.privilege import roles
from infra.release import Place
from infra.topology import TOPOLOGY

if TYPE_CHECKING:
    from collections.abc import Mapping

_PLACE = Place("123456789012", "us-west-2")


def granted() -> frozenset[Use]:
    """List what every role holds, an action of a statement at a time."""
    return frozenset(
        Use(role, statement.sid, action)
        for role, document in roles.documents(TOPOLOGY, _PLACE).items()
        for statement in document.statements
        for action in statement.actions
    )


def read(folder: Path) -> dict[Use, list[str]]:
    """Give the tests that needed each, from the notes of all processes of a run."""
    found: dict[Use, list[str]] = {}
    for path in sorted(folder.glob("[0-9]*.json")):
        for role, sid, action, tests in json.loads(path.read_bytes()):
            found.setdefault(Use(role, sid, action), []).extend(tests)
    return found


def by_statement(needed: Mapping[Use, list[str]]) -> dict[str, list[str]]:
    """Give the tests that needed each statement, by `<role>/<sid>`."""
    found: dict[str, list[str]] = {}
    for use, tests in sorted(needed.items()):
        known = found.setdefault(f"{use.role}/{use.sid}", [])
        known += [test for test in tests if test not in known]
    return found
