"""Of what there can be many, a diagnosis asks about the first few and says of the others that nobody looked."""

from __future__ import annotations

from functions.core import gathering
from functions.diagnostics.models.facts import Seen
from functions.diagnostics.routes.asking import few, first_reason, seen


def test_what_is_beyond_the_first_few_is_unread_and_was_never_asked_for() -> None:
    around, asked = gathering.at_edge(), list[str]()

    def look(name: str) -> str | None:
        asked.append(name)
        return None if name == "b" else name.upper()

    answers = few(around, ["a", "b", "c", "d"], look, 2)
    around.make()
    assert sorted(asked) == ["a", "b"]
    unread = Seen[str](why="only the first 2 of 4 are looked at")
    assert answers() == {"a": Seen("A"), "b": Seen(None), "c": unread, "d": unread}
    assert (answers()["b"].absent, answers()["c"].known) == (True, False)


def test_what_is_not_wanted_was_not_asked() -> None:
    around = gathering.at_edge()
    one = around.ask("one", lambda: "value", wanted=False)
    around.make()
    assert (seen(one), seen(one).known, seen(one).absent) == (Seen(asked=False), False, False)
    assert first_reason([one]) is None
