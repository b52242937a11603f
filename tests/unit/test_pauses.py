"""How long a waiting stage is left alone."""

from __future__ import annotations

import pytest

from functions.core.pauses import pause

FOUNDATION = 780


@pytest.mark.parametrize(
    ("waited", "seconds"),
    [
        pytest.param(0, 45, id="long before its usual end: seldom"),
        pytest.param(FOUNDATION * 0.6, 39, id="nearing it: sooner"),
        pytest.param(FOUNDATION * 0.7, 15, id="about then: as the stage asks"),
        pytest.param(FOUNDATION * 1.1, 15, id="a little late: as the stage asks"),
        pytest.param(3600, 60, id="after an hour: once a minute"),
        pytest.param(36_000, 300, id="after ten hours: every five minutes at most"),
    ],
)
def test_the_pause_follows_the_usual_time_and_then_the_wait(waited: float, seconds: int) -> None:
    assert pause(15, waited, FOUNDATION) == seconds


def test_a_pause_that_a_stage_asks_for_is_never_cut() -> None:
    assert pause(400, 36_000, FOUNDATION) == 400
    assert pause(5, 0, expected=5) == 5
