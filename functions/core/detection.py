"""Stages that only look: each part of what was made is compared with how it stands, and what cannot be seen is told.

"Absent" is what a service says is absent. A refusal, or no answer, makes a part unknown, never absent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from botocore.exceptions import BotoCoreError, ClientError

from functions.core import runtime
from functions.core.drifts import Drift, Unknown, result_of, shortened
from functions.core.errors import Busy, Problem, Throttled, Unavailable
from functions.core.failures import problem_of
from functions.core.stage import Applied, Done, Observation, StageContext

if TYPE_CHECKING:
    from functions.core.stage import StageBehaviour

# What does not answer for so long is told as unknown: nobody waits a day for a report.
_PATIENCE: Final = timedelta(minutes=2)


@dataclass(frozen=True)
class Part:
    """One thing to look at: what it is, the stages that would mend it, and how to look."""

    resource: str
    kind: str
    repaired_by: tuple[str, ...]
    look: Callable[[], Iterable[Drift]]


@dataclass(frozen=True)
class Detection:
    """A stage that looks at the parts of a cluster that one domain has made."""

    parts: Callable[[StageContext], Iterable[Part]]

    def apply(self, _: StageContext) -> Applied:
        """Leave everything as it is."""
        return Applied("looking")

    def observe(self, context: StageContext) -> Observation:
        """Look at every part."""
        return told([each for part in self.parts(context) for each in looked(part, context)])


def looked(part: Part, context: StageContext) -> list[Drift | Unknown]:
    """Look at one part; raises what may pass by itself, so that the turn asks again."""
    try:
        return list(part.look())
    except (Problem, ClientError, BotoCoreError) as error:
        problem = error if isinstance(error, Problem) else problem_of(error, part.resource)
        if isinstance(problem, Busy | Throttled | Unavailable) and _young(context):
            raise
        return [unknown(part, problem)]


def told(found: list[Drift | Unknown]) -> Done:
    """Give the outcome of a stage that looked."""
    drifted = [each for each in found if isinstance(each, Drift)]
    unseen = [each for each in found if isinstance(each, Unknown)]
    said = [f"{len(drifted)} differ: {_named(drifted)}"] if drifted else []
    said += [f"{len(unseen)} could not be seen: {unseen[0].why}"] if unseen else []
    return Done(result_of(found), "; ".join(said) or "as it was made")


def unknown(part: Part, problem: Problem) -> Unknown:
    """Tell that a part could not be looked at, and what helps."""
    return Unknown(
        resource=part.resource,
        kind=part.kind,
        why=shortened(problem.detail) or "",
        repaired_by=[*part.repaired_by],
        remedy=problem.remedy,
    )


def _young(context: StageContext) -> bool:
    return runtime.now() - (context.stage.started_at or runtime.now()) < _PATIENCE


def _named(drifted: list[Drift]) -> str:
    first = drifted[0]
    of = f"{first.property} of " if first.property else ""
    return f"{of}{first.kind} {first.resource}{' and others' if len(drifted) > 1 else ''}"


def of(parts: Callable[[StageContext], Iterable[Part]]) -> StageBehaviour:
    """Make the behaviour of a stage that looks."""
    return Detection(parts)
