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

UNLOOKED: Final = "drift_not_looked_at"
NOTHING: Final = "nothing_made"
NOT_OURS: Final = "drift_not_ours"
UNSEEN: Final = "drift_not_seen"
_AT_ONCE: Final = 5
# What makes something of a cluster that can be compared, by the cluster's origin.
_MAKING: Final = {
    "created": "Let an operation that creates its foundation succeed first.",
    "imported": "POST /api/clusters/{tag}/dependencies makes what it lacks, and takes note of what was made here "
    "before; POST /api/clusters/{tag}/redetect shows what others have changed.",
}


def changes(report: DriftReport | None, plan: plans.RepairPlan, accepted: Sequence[str]) -> list[Change]:
    """List what a repair changes; without a detection, what it may change."""
    replacements = [_replacement(name) for name in accepted]
    if report is None:
        return [*(_possible(phase, name) for phase, name in plan.stages if phase in CONDITIONS), *replacements]
    found = [_change(stage, each) for stage, drifts in plans.by_stage(report.drifts).items() for each in drifts]
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


def findings(report: DriftReport | None) -> list[Finding]:
    """Say what a repair cannot know, or will not do."""
    if report is None:
        message = "no detection of the last 15 minutes is known; the repair begins with one of its own"
        remedy = "Detect drift first, to see what a repair would change."
        return [Finding(check=UNLOOKED, level=Level.WARNING, message=f"unchecked: {message}", remedy=remedy)]
    left = [each for each in report.drifts if each.repaired_by is None]
    found = [
        Finding(
            check=NOT_OURS,
            level=Level.WARNING,
            message=f"{each.kind} {each.resource} is left as it is: {each.property or 'it'} is {each.actual}",
            resource=each.resource,
        )
        for each in left[:_AT_ONCE]
    ]
    return found + [
        Finding(
            check=UNSEEN,
            level=Level.WARNING,
            message=f"{each.kind} {each.resource}: {each.why}",
            resource=each.resource,
        )
        for each in report.unknown[:_AT_ONCE]
    ]


def agreed(report: DriftReport | None) -> list[str]:
    """Name what whoever confirms the preview agrees to, as the stages read it."""
    return [accepted_name(each) for each in report.drifts if terminates(each)] if report else []
