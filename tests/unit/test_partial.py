"""Acting on many things, of which one may refuse."""

from __future__ import annotations

import pytest

from functions.core.errors import PreconditionFailed, Problem, Throttled
from functions.core.partial import until_refused


def act(refusals: dict[str, Problem]) -> list[str]:
    """Act on a, b and c, some of which refuse; gives those that it was done to."""

    def one(thing: str) -> None:
        if thing in refusals:
            raise refusals[thing]

    return until_refused("abc", one)


def test_what_was_done_before_a_refusal_is_told_and_a_refusal_of_the_first_is_raised() -> None:
    refusal = PreconditionFailed("not allowed")
    assert act({}) == ["a", "b", "c"]
    assert act({"c": refusal}) == ["a", "b"]
    with pytest.raises(PreconditionFailed, match="not allowed"):
        act({"a": refusal})


def test_what_only_asks_for_patience_is_raised_at_once() -> None:
    with pytest.raises(Throttled):
        act({"b": Throttled("too fast")})
