"""What the preview of a repair says: each drifted thing, what mends it, and what cannot be taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.capacity.rules.drifts import accepted_name, terminates
from functions.clusters.drift.rules import plans, stack
from functions.core.drifts import ABSENT, Drift
from functions.core.errors import PreconditionFailed
from functions.core.findings import Finding, Level
from functions.core.phases import CONDITIONS
from functions.core.previews import Action, Change

if TYPE_CHECKING:
    from collections.abc import Sequence

    from functions.clusters.drift.models import DriftReport
    from functions.core.cluster import ClusterSpec
    from functions.core.drifts import Unknown

UNLOOKED: Final = "drift_not_looked_at"
NOTHING: Final = "nothing_made"
NOT_OURS: Final = "drift_not_ours"
UNSEEN: Final = "drift_not_seen"
UNPLANNED: Final = "drift_not_made_here"
_AT_ONCE: Final = 5
_NOT_MADE: Final = ", and what would mend it was not made here"
# What makes something of a cluster that can be compared, by the cluster's origin.
_MAKING: Final = {
    "created": "Let an operation that creates its foundation succeed first.",
    "imported": "POST /api/clusters/{tag}/dependencies makes what it lacks, and takes note of what was made here "
    "before; POST /api/clusters/{tag}/redetect shows what others have changed.",
}
# The request, below a cluster's path, that makes what a kind of stage mends.
_REQUESTS: Final = {
    "access_entry": "dependencies",
    "cluster_role": "dependencies",
    "helm_release": "dependencies",
    "addon": "dependencies",
    "identity_chain": "dependencies",
    "compute_subnet": "hyperpod",
    plans.SCRIPTS: "hyperpod",
    plans.HYPERPOD: "hyperpod",
    "mount": "storage",
}


def changes(report: DriftReport | None, plan: plans.RepairPlan, accepted: Sequence[str]) -> list[Change]:
    """List what a repair changes, which is what its stages mend; without a detection, what it may change."""
    replacements = [_replacement(name) for name in accepted]
    if report is None:
        return [*(_possible(phase, name) for phase, name in plan.stages if phase in CONDITIONS), *replacements]
    mended = plans.by_stage(each for each in report.drifts if plan.mends(each))
    found = [_change(stage, each) for stage, drifts in mended.items() for each in drifts]
    return [*found, *_side_effects(plan), *replacements]


def _change(stage: str, drift: Drift) -> Change:
    ended = terminates(drift)
    said = f"{drift.property} is {drift.actual}, not {drift.expected}" if drift.property else f"it is {drift.actual}"
    return Change(
        action=Action.CREATE if drift.property is None and drift.actual == ABSENT else Action.CHANGE,
        resource=drift.kind,
        name=drift.resource,
        reason=f"{said}; {ended} of its instances are ended, with what runs on them" if ended else said,
        stage=stage,
        irreversible=ended > 0,
    )


def _possible(phase: str, name: str) -> Change:
    reason = (
        "no recent detection says whether it drifted; it is changed if the repair's own detection finds that it did"
    )
    return Change(action=Action.KEEP, resource=f"stage of {phase}", name=name, reason=reason, stage=name)


def _side_effects(plan: plans.RepairPlan) -> list[Change]:
    """Say what else a change set does: it takes from the stack's endpoint what compute subnets have added."""
    names = [name for _, name in plan.stages]
    subnets = [name for name in names if name.startswith("compute_subnet:")]
    if stack.STAGE not in names or not subnets:
        return []
    reason = (
        "the change set takes the route tables of compute subnets from it, and their stages give them back: for a few "
        "minutes nodes reach S3 through the NAT gateway"
    )
    return [Change(action=Action.CHANGE, resource=stack.ENDPOINT, name="S3Endpoint", reason=reason, stage=stack.STAGE)]


def _replacement(name: str) -> Change:
    reason = "the request accepts that it is made anew, should the change set ask for that; what it holds now is lost"
    return Change(
        action=Action.CHANGE,
        resource="resource of the stack",
        name=name,
        reason=reason,
        stage=stack.STAGE,
        irreversible=True,
    )


def nothing_made(spec: ClusterSpec, made_by: Sequence[tuple[str, str]]) -> list[Finding]:
    """Refuse a cluster of which nothing was made here: what others made of it is no drift, whatever becomes of it."""
    if made_by:
        return []
    return [
        Finding(
            check=NOTHING,
            level=Level.ERROR,
            code=PreconditionFailed.code,
            message=f"nothing of cluster {spec.tag} was made here, so nothing can have drifted",
            resource=spec.tag,
            remedy=_MAKING[spec.origin].format(tag=spec.tag),
        )
    ]


def findings(report: DriftReport | None, plan: plans.RepairPlan) -> list[Finding]:
    """Say what a repair cannot know, or will not do."""
    if report is None:
        message = "no detection of the last 15 minutes is known; the repair begins with one of its own"
        remedy = "Detect drift first, to see what a repair would change."
        return [Finding(check=UNLOOKED, level=Level.WARNING, message=f"unchecked: {message}", remedy=remedy)]
    theirs = [each for each in report.drifts if each.repaired_by is None]
    unplanned = [each for each in report.drifts if each.repaired_by and not plan.mends(each)]
    return [
        *(_left(NOT_OURS, each, each.remedy) for each in theirs[:_AT_ONCE]),
        *(_left(UNPLANNED, each, _request(report.cluster_tag, each), _NOT_MADE) for each in unplanned[:_AT_ONCE]),
        *(_unseen(each) for each in report.unknown[:_AT_ONCE]),
    ]


def _left(check: str, drift: Drift, remedy: str | None, why: str = "") -> Finding:
    return Finding(
        check=check,
        level=Level.WARNING,
        message=f"{drift.kind} {drift.resource} is left as it is: {drift.property or 'it'} is {drift.actual}{why}",
        resource=drift.resource,
        remedy=remedy,
    )


def _request(tag: str, drift: Drift) -> str:
    """Name the request that makes what a repair does not; the foundation of a cluster that stands is made by none."""
    made_by = _REQUESTS.get((drift.repaired_by or "").partition(":")[0])
    if made_by is None:
        return f"POST /api/clusters/{tag}/drift looks again at what was made here."
    return f"POST /api/clusters/{tag}/{made_by} makes it as it is asked for; a repair mends it from then on."


def _unseen(unknown: Unknown) -> Finding:
    return Finding(
        check=UNSEEN,
        level=Level.WARNING,
        message=f"{unknown.kind} {unknown.resource}: {unknown.why}",
        resource=unknown.resource,
        remedy=unknown.remedy,
    )


def agreed(report: DriftReport | None, plan: plans.RepairPlan) -> list[str]:
    """Name what whoever confirms the preview agrees to, as the stages read it."""
    drifts = report.drifts if report else ()
    return [accepted_name(each) for each in drifts if terminates(each) and plan.mends(each)]
