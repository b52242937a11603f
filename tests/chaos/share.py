"""What one process of a run plays: every so-manieth case, so that all shares take equally long."""

from __future__ import annotations

import gc
import os
import sys
import time
from dataclasses import dataclass

from tests.chaos import cases, player
from tests.chaos.cases import Case
from tests.chaos.player import Verdict

_TELL_EVERY = 50


@dataclass(frozen=True)
class Share:
    """Which cases of a course: those whose name holds a text, or a sample of them, and of these one process's.

    `passed` are so many of the process's own that an earlier run has played.
    """

    course: str
    only: str
    sample: int | None
    seed: int
    place: int
    of: int
    passed: int = 0

    def chosen(self, every: list[Case]) -> list[Case]:
        named = [case for case in every if self.only in case.name]
        drawn = cases.sample(named, self.seed, min(self.sample, len(named))) if self.sample else named
        return drawn[self.place :: self.of][self.passed :]


def play(share: Share) -> list[Verdict]:
    """Play a share in this process, on a host of its own, and tell how far it is."""
    # moto would make up 1,300 machine images for every world, and nothing here starts an instance from one.
    os.environ["MOTO_EC2_LOAD_DEFAULT_AMIS"] = "false"
    began, verdicts = time.monotonic(), list[Verdict]()
    with player.opened(share.course) as host:
        gc.freeze()
        chosen = share.chosen(cases.all_of(host.course))
        for verdict in map(host.play, chosen):
            verdicts.append(verdict)
            if not verdict.passed or len(verdicts) % _TELL_EVERY == 0:
                tell = "" if verdict.passed else f": FAILED {verdict.case.name}"
                _say(f"{len(verdicts):>5} of {len(chosen)} in {time.monotonic() - began:.0f} s{tell}")
    return verdicts


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
