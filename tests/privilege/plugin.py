"""A plugin of pytest: writes down which statements each test needs, or runs tests without some of them.

PRIVILEGE_USES names a folder for the notes; each process of xdist is one of pytest's own and writes its own notes.
PRIVILEGE_PLAN names a file: statements, as `<role>/<sid>`, by the test that is run once without each. Which of them the
test failed without stands in the file `.killed` beside it.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final
from unittest import mock

from _pytest.runner import runtestprotocol

from functions.core.runtime import Runtime
from infra.local.authorization import uses
from infra.local.authorization.evaluation import Allowed, Why, evaluate
from infra.local.authorization.guard import Denial, Guard

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pytest

    from infra.local.authorization.evaluation import Asked
    from infra.local.authorization.uses import Use

USES: Final = "PRIVILEGE_USES"
PLAN: Final = "PRIVILEGE_PLAN"
# So many tests are noted for each use: one of them is to fail without the statement.
ENOUGH: Final = 100


# What functions keep while they are warm, by its identity; a session's host never goes.
_KEPT: Final[dict[int, dict[type, object]]] = {}


def _noting_what_is_kept(self: Runtime, kind: type[object]) -> object:
    _KEPT[id(self._kept)] = self._kept
    return _kept_by(self, kind)


_kept_by: Final = Runtime.kept


class Plugin:
    """Works from the start of a session to its end."""

    def __init__(self) -> None:
        self._needed: defaultdict[Use, set[str]] = defaultdict(set)
        self._open = ExitStack()
        self._open.enter_context(uses.heard(self._heard))
        self._open.enter_context(mock.patch.object(Runtime, "kept", _noting_what_is_kept))
        plan = os.environ.get(PLAN, "")
        self._plan: Mapping[str, Sequence[str]] = json.loads(Path(plan).read_bytes()) if plan else {}
        self._killed: list[str] = []

    def _heard(self, use: Use) -> None:
        # An id may hold spaces; the phase comes last.
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
        if test and len(self._needed[use]) < ENOUGH:
            self._needed[use].add(test)

    def pytest_sessionfinish(self) -> None:
        """Hear no more."""
        self._open.close()
        if self._plan:
            Path(os.environ[PLAN]).with_suffix(".killed").write_text(json.dumps(self._killed), encoding="utf-8")

    def pytest_runtest_teardown(self) -> None:
        """Write the notes after each test, so that a run that is stopped has them too."""
        if folder := os.environ.get(USES, ""):
            notes = [[*use, sorted(tests)] for use, tests in sorted(self._needed.items())]
            path = Path(folder) / f"{os.getpid()}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(notes, indent=0), encoding="utf-8")

    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        """Run a test of the plan as it is, which must pass, then without each statement; what files share stands."""
        if item.nodeid not in self._plan:
            return None
        _run(item, _Neighbour(item))
        for statement in self._plan[item.nodeid]:
            with lacking(*statement.split("/")) as denied:
                reports = _run(item, _Neighbour(item), log=False)
            self._killed += [statement] if denied and any(report.failed for report in reports) else []
        # What is undisturbed passes still: no failure came of an earlier run in the same process.
        _run(item, _Neighbour(item))
        item.session._setupstate.teardown_exact(nextitem)
        return True


class _Neighbour:
    """Stands for the test that comes next: one of the same file, so that only the test's own fixtures end."""

    def __init__(self, item: pytest.Item) -> None:
        self._item = item

    def listchain(self) -> list[object]:
        """Give the neighbour after all that holds it."""
        return [*self._item.listchain()[:-1], self]


def _run(item: pytest.Item, nextitem: _Neighbour, *, log: bool = True) -> list[pytest.TestReport]:
    """Run a test with fixtures of its own, on functions that start cold: what one keeps it asks nobody for again."""
    for kept in _KEPT.values():
        kept.clear()
    item._initrequest()  # type: ignore[attr-defined]  # as plugins do that run tests again
    return runtestprotocol(item, nextitem=nextitem, log=log)  # type: ignore[arg-type]  # it asks for the chain alone


@contextmanager
def lacking(role: str, sid: str) -> Iterator[list[Asked]]:
    """Deny, while a block runs, what one statement of a role alone allows; gives what was denied by that."""
    judged = Guard._judged
    denied: list[Asked] = []

    def stricter(self: Guard, called: str, asked: Asked) -> Denial | None:
        denial = judged(self, called, asked)
        if called != role or denial is not None:
            return denial
        verdict = evaluate(asked, self._policies[role], self._boundary)
        if not isinstance(verdict, Allowed) or {*verdict.sids} != {sid}:
            return None
        denied.append(asked)
        return Denial(asked, Why.SILENT)

    with mock.patch.object(Guard, "_judged", stricter):
        yield denied


def pytest_configure(config: pytest.Config) -> None:
    """Start to listen, in every process."""
    config.pluginmanager.register(Plugin(), "privilege")
