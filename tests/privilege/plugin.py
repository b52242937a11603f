"""A plugin of pytest: takes a statement from a role, or writes down which statements each file of tests needs.

PRIVILEGE_USES names a folder for the notes; PRIVILEGE_WITHOUT names `<role>/<sid>`. Each process of xdist is one of
pytest's own and writes its own notes.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final
from unittest import mock

from infra.local.authorization import uses
from infra.privilege import roles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import pytest

    from infra.local.authorization.uses import Use
    from infra.privilege.documents import Document
    from infra.release import Place
    from infra.topology import Topology

USES: Final = "PRIVILEGE_USES"
WITHOUT: Final = "PRIVILEGE_WITHOUT"
# So many tests are noted for each use: one of them is to fail without the statement.
ENOUGH: Final = 5


class Plugin:
    """Works from the start of a session to its end."""

    def __init__(self) -> None:
        self._needed: defaultdict[Use, set[str]] = defaultdict(set)
        self._open = ExitStack()
        self._open.enter_context(uses.heard(self._heard))
        if without := os.environ.get(WITHOUT, ""):
            role, _, sid = without.partition("/")
            self._open.enter_context(mock.patch.object(roles, "documents", lacking(role, sid)))

    def _heard(self, use: Use) -> None:
        test = os.environ.get("PYTEST_CURRENT_TEST", "").partition(" ")[0]
        if test and len(self._needed[use]) < ENOUGH:
            self._needed[use].add(test)

    def pytest_sessionfinish(self) -> None:
        """Hear no more."""
        self._open.close()

    def pytest_runtest_teardown(self) -> None:
        """Write the notes after each test, so that a run that is stopped has them too."""
        if folder := os.environ.get(USES, ""):
            notes = [[*use, sorted(tests)] for use, tests in sorted(self._needed.items())]
            path = Path(folder) / f"{os.getpid()}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(notes, indent=0), encoding="utf-8")


def lacking(role: str, sid: str) -> Callable[..., Mapping[str, Document]]:
    """Give the policies of all roles but for one statement of one role; raises KeyError where there is no such."""
    whole = roles.documents

    def documents(topology: Topology, place: Place, passable: Iterable[str] = ()) -> Mapping[str, Document]:
        found = dict(whole(topology, place, passable))
        if sid not in {statement.sid for statement in found[role].statements}:
            raise KeyError(f"{role} has no statement {sid}")
        return {**found, role: found[role].without(sid)}

    return documents


def pytest_configure(config: pytest.Config) -> None:
    """Start to listen, in every process."""
    config.pluginmanager.register(Plugin(), "privilege")
