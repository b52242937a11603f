"""The stage contract: what a stage gets, what `apply` and `observe` answer, and the runner that records it.

`apply` reads actual, compares with desired, acts on the difference and returns at once; twice does no second harm.
`observe` only reads. Both raise a Problem, which fails the stage with its first cause and remedy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from functions.core.phases import MENDING
from functions.core.tags import marked

if TYPE_CHECKING:
    from pydantic import JsonValue

    from functions.core.cluster import ClusterSpec
    from functions.core.errors import Problem
    from functions.core.ledger.models import JsonObject, Operation, Reason, Stage


@dataclass(frozen=True)
class Applied:
    """What `apply` did: resources it made or adopted, and a message for the reader.

    `notes` are what a person has to learn though the stage goes on: its later messages repeat them.
    """

    message: str | None = None
    resources: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Waiting:
    """Not there yet: look again in `seconds`."""

    seconds: int
    message: str
    reason: Reason | None = None
    resources: tuple[str, ...] = ()


@dataclass(frozen=True)
class Done:
    """There: what later stages and the summary need to know."""

    result: Mapping[str, JsonValue]
    message: str
    resources: tuple[str, ...] = ()


@dataclass(frozen=True)
class Failed:
    """It will not come to be without somebody's doing."""

    problem: Problem


@dataclass(frozen=True)
class Reapply:
    """What was in the way is gone: apply once more."""

    message: str


Observation = Waiting | Done | Failed | Reapply


@dataclass(frozen=True)
class StageContext:
    """What a stage knows: its operation, its cluster, its parameter and what earlier stages found."""

    operation: Operation
    cluster: ClusterSpec
    stage: Stage

    @property
    def parameter(self) -> str:
        """Give what follows the colon of a parameterised stage's name."""
        return self.stage.name.partition(":")[2]

    @property
    def mends(self) -> bool:
        """Say whether the operation brings back what was made, and makes nothing that was not there."""
        return self.operation.kind in MENDING

    def is_theirs(self, tags: Mapping[str, str]) -> bool:
        """Say whether what has some AWS tags was there already when its cluster was imported, or came from others."""
        return self.cluster.origin == "imported" and not marked(tags, self.cluster.tag)

    def result_of(self, kind: str) -> JsonObject:
        """Give the result of the last stage of a kind that stands in this operation; empty when there is none."""
        results = [stage.result for stage in self.operation.stages if stage.name.partition(":")[0] == kind]
        return results[-1] if results else {}

    def result_at(self, name: str) -> JsonObject:
        """Give the result of the stage of that name; empty when there is none in this operation."""
        return next((stage.result for stage in self.operation.stages if stage.name == name), {})


class StageBehaviour(Protocol):
    """One kind of stage."""

    def apply(self, context: StageContext) -> Applied:
        """Act on the difference between actual and desired."""

    def observe(self, context: StageContext) -> Observation:
        """Say how things stand."""


Behaviours = Mapping[str, StageBehaviour]
"""The behaviour of each kind of stage that a function runs."""
