"""The routes of drift: detect it, read what was found, bring back what drifted.

Annotations are evaluated here, because Powertools reads them to validate.
"""

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Final

from aws_lambda_powertools.event_handler.openapi.params import Path

from functions.clusters import records as clusters
from functions.clusters.drift import records
from functions.clusters.drift.models import DriftReport, RepairCluster
from functions.clusters.drift.rules import plans, previews
from functions.core import mutations, runtime
from functions.core.application import IdempotencyKey
from functions.core.errors import NotFound
from functions.core.ledger.models import NewOperation
from functions.core.mutations import Answer, Confirm, DryRun, Intent

if TYPE_CHECKING:
    from functions.core.ledger.models import JsonObject

Tag = Annotated[str, Path(max_length=64, description="The tag of a cluster.")]

# As long as a preview confirms.
RECENT: Final = timedelta(minutes=15)


def detect_drift(
    tag: Tag, dry_run: DryRun = False, confirm: Confirm = None, idempotency_key: IdempotencyKey = None
) -> Answer:
    """Begin to compare a cluster with what was made, an imported one with what was made here; nothing is changed."""
    asked = mutations.asked(plans.DETECT, tag, {}, ["drift"], idempotency_key)
    return mutations.carry_out(asked, lambda: _detection(asked), dry_run=dry_run, confirm=confirm)


def get_drift(tag: Tag) -> DriftReport:
    """Read what the last detection of a cluster found."""
    report = records.read(tag)
    if report is not None:
        return report
    if not clusters.exists(tag):
        raise clusters.no_cluster(tag)
    raise NotFound(
        f"The drift of cluster {tag} was never detected.", remedy=f"POST /api/clusters/{tag}/drift detects it."
    )


def repair_cluster(
    tag: Tag,
    request: RepairCluster | None = None,
    dry_run: DryRun = False,
    confirm: Confirm = None,
    idempotency_key: IdempotencyKey = None,
) -> Answer:
    """Begin to bring back what drifted, as the last detection of the last minutes found it, or a new one finds it.

    What others made of an imported cluster is left alone.
    """
    wanted = request or RepairCluster()
    sent = wanted.model_dump(mode="json", exclude_unset=True)
    asked = mutations.asked(plans.REPAIR, tag, sent, ["cluster"], idempotency_key)
    return mutations.carry_out(asked, lambda: _repair(asked, wanted), dry_run=dry_run, confirm=confirm)


def _detection(asked: NewOperation) -> Intent:
    cluster = clusters.read(asked.cluster_tag)
    mutations.owned(cluster.spec)
    made = plans.made(cluster.spec, cluster.conditions, cluster.made)
    planned = [mutations.planned(phase, name) for phase, name in plans.looks(made)]
    return Intent(
        new=asked.model_copy(update={"stages": planned}),
        changes=[],
        findings=previews.nothing_made(cluster.spec, made),
        cluster=cluster.spec,
    )


def _repair(asked: NewOperation, wanted: RepairCluster) -> Intent:
    tag = asked.cluster_tag
    cluster = clusters.read(tag)
    mutations.owned(cluster.spec)
    report = _recent(tag, cluster.spec.version)
    made = plans.made(cluster.spec, cluster.conditions, cluster.made)
    plan = plans.repair(report, made, imported=cluster.spec.origin == "imported")
    changes = previews.changes(report, plan, wanted.accept_replacement)
    kept: JsonObject = {"accept_replacement": [*wanted.accept_replacement], "agreed": [*previews.agreed(report, plan)]}
    new = {"request": kept, "stages": [mutations.planned(phase, name) for phase, name in plan.stages]}
    return Intent(
        new=asked.model_copy(update=new),
        changes=changes,
        findings=[*previews.nothing_made(cluster.spec, made), *previews.findings(report, plan)],
        read={"spec": cluster.spec.version, "detection": report.operation_id if report else None},
        cluster=cluster.spec,
        confirm_name=tag if any(change.irreversible for change in changes) else None,
    )


def _recent(tag: str, version: int) -> DriftReport | None:
    """Give the last detection unless it is too old, or the cluster is wanted otherwise since."""
    report = records.read(tag)
    if report is None or report.spec_version != version or runtime.now() - report.detected_at > RECENT:
        return None
    return report
