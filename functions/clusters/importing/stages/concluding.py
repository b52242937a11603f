"""The end of a look at a cluster: from inside as far as it lets us in, then everything that follows is written down."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from functions.aws import eks
from functions.clusters import records
from functions.clusters.importing.models.found import ABSENT, Detected, Inside, Outside, Reach
from functions.clusters.importing.rules import conclusions
from functions.clusters.importing.rules.access import commands
from functions.clusters.importing.rules.conclusions import Given
from functions.clusters.importing.rules.conditions import conditions_of
from functions.clusters.importing.rules.findings import findings_of
from functions.clusters.importing.rules.summary import summary_of
from functions.clusters.importing.stages import inside
from functions.core import runtime, settings
from functions.core.cluster import AccessRole
from functions.core.errors import Busy, StageFailed, Unavailable
from functions.core.ledger import detection
from functions.core.stage import Applied, Behaviours, Done, Observation, Reapply, StageContext
from functions.identity.rules import ACCESS
from functions.kubernetes_api import connection
from functions.kubernetes_api.objects import NO_ENTRY

if TYPE_CHECKING:
    from functions.clusters.importing.rules.conditions import Verdict
    from functions.clusters.models import Condition
    from functions.core.ledger.models import JsonObject

# A new access entry takes a moment to count, and so does an API server that was slow once.
_PATIENCE: Final = timedelta(minutes=2)


class DetectWorkloads:
    """What the cluster's API server says, and all that follows from both looks; the cluster stays as it is."""

    def apply(self, context: StageContext) -> Applied:
        """Look, decide and write it down, once an operation."""
        tag = context.cluster.tag
        before = records.detected(tag)
        if before is not None and before.operation_id == context.operation.operation_id:
            return Applied("what was found is written down")
        outside = Outside.model_validate(context.result_of("detect_cluster")["outside"])
        seen = _inside(context, outside)
        found = _detected(context, outside, seen, before)
        kept = records.read(tag)
        made = "hyperpod_cluster" in kept.made.get("hyperpod", ())
        changes = conclusions.spec_changes(context.cluster, outside, _given(context), made_hyperpod=made)
        known = {each.type: each for each in kept.conditions}
        verdicts = conditions_of(outside, seen)
        detection.record_detected(
            tag,
            found.model_dump(mode="json", exclude_none=True),
            {kind: _condition(verdict, known.get(kind)) for kind, verdict in verdicts.items()},
            changes,
            context.cluster.version,
        )
        return Applied("what was found is written down")

    def observe(self, context: StageContext) -> Observation:
        """Done when the ledger has what this operation found."""
        found = records.detected(context.cluster.tag)
        if found is None or found.operation_id != context.operation.operation_id:
            return Reapply("the cluster is to be looked at")
        result = summary_of(found, records.read(context.cluster.tag).conditions)
        said = "; ".join(found.changes) or found.reach.message
        return Done(result, said, (found.eks.arn, *([found.hyperpod.arn] if found.hyperpod else ())))


def _detected(context: StageContext, outside: Outside, seen: Inside, before: Detected | None) -> Detected:
    findings = findings_of(outside, seen, context.cluster.names.s3_csi_role)
    found = conclusions.detected(outside, seen, findings, context.operation.operation_id, runtime.now())
    return found.model_copy(update={"changes": conclusions.changes_since(before, found)})


def _inside(context: StageContext, outside: Outside) -> Inside:
    name = outside.eks.name
    if outside.eks.status == ABSENT:
        return _out("Gone", f"the EKS cluster {name} is gone")
    if not outside.eks.public_endpoint:
        return _out("PrivateEndpoint", f"the API server of {name} answers in its VPC only")
    begun = context.stage.started_at or runtime.now()
    late = runtime.now() - begun >= _PATIENCE
    try:
        client = connection.connect(name, eks.api_server_of, AccessRole.ADMIN)
        return inside.look(client, Reach(reachable="present", reason="LetIn", message=f"{name} lets us in"))
    except StageFailed as refused:
        if refused.cause is None or refused.cause.code != NO_ENTRY:
            raise
        if _made_entries(context) and not late:
            raise Busy(refused.detail, cause=refused.cause, remedy="Nothing needs to be done.") from refused
        return _out("NoAccessEntry", _let_us_in(context, name))
    except Unavailable as silent:
        if not late:
            raise
        return _out("Unreachable", silent.detail)


def _out(reason: str, message: str) -> Inside:
    return Inside(reach=Reach(reachable="absent", reason=reason, message=message))


def _let_us_in(context: StageContext, name: str) -> str:
    roles = {each: settings.required(access.role) for each, access in ACCESS.items()}
    written = commands(name, context.cluster.region, roles)
    return f"{name} does not let the control plane in; an administrator of the cluster runs: {written}"


def _made_entries(context: StageContext) -> bool:
    return any(stage.name.startswith("access_entry:") for stage in context.operation.stages)


def _given(context: StageContext) -> Given:
    sent = context.operation.request
    role, bucket = sent.get("execution_role_arn"), sent.get("bucket")
    return Given(str(role) if role else None, str(bucket) if bucket else None)


def _condition(verdict: Verdict, known: Condition | None) -> JsonObject:
    """Write a condition; one that has not changed stands since it changed last."""
    unchanged = known is not None and known.status == verdict.status and known.since is not None
    since = known.since if known and known.since and unchanged else runtime.now()
    return {
        "status": verdict.status,
        "reason": verdict.reason,
        "message": verdict.message,
        "since": since.isoformat(),
    }


STAGES: Behaviours = {"detect_workloads": DetectWorkloads()}
