"""Calls that an invocation makes at once: they share its runtime, and end before it goes on."""

from __future__ import annotations

from threading import Barrier, get_ident

import botocore.session
import pytest

from functions.core import runtime
from functions.core.runtime import Runtime, SystemClock


def test_calls_at_once_see_the_runtime_of_their_invocation_and_answer_in_order() -> None:
    mine = Runtime({"NAME": "mine"}, botocore.session.Session(), SystemClock())
    meeting = Barrier(3)

    def meet(number: int) -> tuple[int, str, bool]:
        meeting.wait(timeout=5)
        return number, runtime.environment()["NAME"], get_ident() != caller

    caller = get_ident()
    with runtime.bound(mine):
        found = runtime.together([lambda number=number: meet(number) for number in range(3)])  # type: ignore[misc]  # the default is an int
    assert found == [(number, "mine", True) for number in range(3)]


@pytest.mark.parametrize("error", [ValueError("first"), SystemExit(1)])
def test_the_first_error_is_raised_once_all_calls_have_ended(error: BaseException) -> None:
    ended: list[str] = []

    def fail(with_: BaseException) -> None:
        ended.append(str(with_))
        raise with_

    calls = [lambda: ended.append("done"), lambda: fail(error), lambda: fail(KeyError("second"))]
    with pytest.raises(type(error)):
        runtime.together(calls)
    assert len(ended) == 3


def test_no_calls_need_no_threads() -> None:
    assert runtime.together([]) == []
