"""The look at a request once more, as the first stage of its operation: the edge left checks undone.

What it finds refuses the operation as the edge would have refused the request, before anything is made.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from functions.clusters import records
from functions.clusters.models import CreateCluster, HyperPod
from functions.clusters.preflight.rules.requests import target_of
from functions.clusters.preflight.stages.survey import survey
from functions.core import gathering, runtime
from functions.core.errors import InvalidRequest
from functions.core.findings import Level, refusal
from functions.core.stage import Applied, Behaviours, Done, Failed, Observation, StageContext, Waiting

if TYPE_CHECKING:
    from functions.core.findings import Finding
    from functions.core.ledger.models import JsonObject

CREATE_HYPERPOD: Final = "create_hyperpod"
_AGAIN_SECONDS: Final = 20
# So long it asks who does not answer. Then the operation goes on: later stages meet what these checks would have told.
_PATIENCE: Final = timedelta(minutes=5)


class Preflight:
    """Checks a request that the edge could not check to the end."""

    def apply(self, _: StageContext) -> Applied:
        """Make nothing."""
        return Applied("looking at the request again")

    def observe(self, context: StageContext) -> Observation:
        """Done when every check came to an end or was refused an answer; an error that is found fails the operation."""
        target = target_of(context.cluster, records.read(context.cluster.tag).conditions)
        seen = survey(_request(context), target, gathering.in_stage())
        if problem := refusal(seen.findings):
            return Failed(problem)
        begun = context.stage.started_at or runtime.now()
        if seen.unanswered and runtime.now() - begun < _PATIENCE:
            return Waiting(_AGAIN_SECONDS, f"asking again, no answer yet about: {', '.join(sorted(seen.unanswered))}")
        return _done(seen.findings)


def _done(findings: list[Finding]) -> Done:
    told: JsonObject = {"findings": [each.model_dump(mode="json", exclude_none=True) for each in findings]}
    noted = [f"{each.check}: {each.message}" for each in findings if each.level is Level.WARNING]
    return Done(told, "; ".join(["nothing is in the way", *noted]))


def _request(context: StageContext) -> CreateCluster | HyperPod:
    """Read the request as the edge kept it: zones by their names, groups with a plan in its zone."""
    kind = HyperPod if context.operation.kind == CREATE_HYPERPOD else CreateCluster
    try:
        return kind.model_validate(context.operation.request)
    except ValidationError as error:
        raise InvalidRequest(
            f"The request of operation {context.operation.operation_id} is not valid in this release: {error}",
            remedy="Send the request again, as this release takes it.",
        ) from error


STAGES: Behaviours = {"preflight": Preflight()}
