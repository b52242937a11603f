"""Acting on many things, so that what was done stays known when one of them refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from botocore.exceptions import ClientError

from functions.core.errors import Busy, Problem, Throttled, Unavailable
from functions.core.failures import problem_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Thing = TypeVar("Thing")


def until_refused(things: Iterable[Thing], act: Callable[[Thing], object]) -> list[Thing]:
    """Act on things in turn up to one that refuses; gives those before it, which get on record by that.

    The next try meets the refusal first, and tells it. Raises that of the very first thing, and what only asks for
    patience at once: that try is repeated as a whole.
    """
    done: list[Thing] = []
    for thing in things:
        try:
            act(thing)
        except (Problem, ClientError) as error:
            if not done or _passes(error):
                raise
            break
        done.append(thing)
    return done


def _passes(error: Problem | ClientError) -> bool:
    problem = error if isinstance(error, Problem) else problem_of(error)
    return isinstance(problem, Busy | Throttled | Unavailable)
