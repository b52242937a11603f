"""How long a waiting stage is left alone between two looks: each look costs three state transitions and an invocation.

An event about the resource ends a pause early; these pauses are for what no event tells.
"""

from __future__ import annotations

from typing import Final

# Until most of the usual time has passed a look is for the reader's sake only.
_EARLY: Final = 0.7
_TIMES_AS_LONG: Final = 3
# Who has waited for an hour does not mind a minute.
_SHARE_OF_THE_WAIT: Final = 1 / 60
_LONGEST_SECONDS: Final = 300


def pause(wished: int, waited: float, expected: float) -> int:
    """Give the seconds until the next look.

    `wished` is what the stage asks for, `waited` how long it has run, `expected` how long it usually does.
    """
    early = int(_EARLY * expected - waited) // 2
    if early > wished:
        return min(_TIMES_AS_LONG * wished, early)
    return max(wished, min(_LONGEST_SECONDS, int(waited * _SHARE_OF_THE_WAIT)))
