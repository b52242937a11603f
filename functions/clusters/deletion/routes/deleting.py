"""The deletion routes: a cluster with all that was made for it, or its HyperPod cluster alone.

Annotations are evaluated here, because Powertools reads them to validate.
"""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from functions.catalog.prices.rules import priced, unpriced
from functions.clusters import records
from functions.clusters.deletion.models import Deletion
from functions.clusters.deletion.routes import survey
from functions.clusters.deletion.rules import preview
from functions.clusters.deletion.rules.findings import findings_of
from functions.clusters.deletion.rules.plan import DELETE_CLUSTER, DELETE_HYPERPOD, SCOPES, plan
from functions.clusters.drift.rules import plans
from functions.clusters.importing.rules import adoption
from functions.core import mutations
from functions.core.application import IdempotencyKey
from functions.core.ledger.models import NewOperation
from functions.core.mutations import Answer, Confirm, DryRun, Intent

Tag = Annotated[str, Path(max_length=64, description="The tag of a cluster.")]
DeleteBucket = Annotated[
    bool, Query(description="Delete the cluster's bucket too, with all that is in it; without it the bucket is kept.")
]
SkipWorkloads = Annotated[
    bool,
    Query(description="Do nothing inside the cluster, which then cannot be asked to take its load balancers along."),
]
RetainResources = Annotated[
    list[str] | None,
    Query(max_length=100, description="Resources of the stack to give up; only after a deletion has failed on them."),
]


def delete_cluster(
    tag: Tag,
    delete_bucket: DeleteBucket = False,
    skip_workloads: SkipWorkloads = False,
    retain_resources: RetainResources = None,
    dry_run: DryRun = False,
    confirm: Confirm = None,
    idempotency_key: IdempotencyKey = None,
) -> Answer:
    """Begin to delete a cluster with all that was made for it; of an imported one only what was made."""
    retained = sorted(set(retain_resources or ()))
    deletion = Deletion(delete_bucket=delete_bucket, skip_workloads=skip_workloads, retain_resources=retained)
    return _begin(DELETE_CLUSTER, tag, deletion, idempotency_key, dry_run=dry_run, confirm=confirm)


def delete_hyperpod(
    tag: Tag, dry_run: DryRun = False, confirm: Confirm = None, idempotency_key: IdempotencyKey = None
) -> Answer:
    """Begin to delete the HyperPod cluster of a cluster; the rest stays, and another can be created."""
    return _begin(DELETE_HYPERPOD, tag, Deletion(), idempotency_key, dry_run=dry_run, confirm=confirm)


def _begin(kind: str, tag: str, deletion: Deletion, key: str | None, *, dry_run: bool, confirm: str | None) -> Answer:
    asked = _asked(kind, tag, deletion, key)
    return mutations.carry_out(asked, lambda: _intent(asked, deletion), dry_run=dry_run, confirm=confirm)


def _intent(asked: NewOperation, deletion: Deletion) -> Intent:
    kind, cluster = asked.kind, records.read(asked.cluster_tag)
    spec = mutations.owned(cluster.spec)
    whole = deletion if kind == DELETE_CLUSTER else None
    stages = [mutations.planned(*each) for each in plan(kind, deletion, imported=spec.origin == "imported")]
    recorded = {name for made in cluster.made.values() for name in made}
    others = frozenset(adoption.left_alone(spec, cluster.detected)) - recorded
    made = {name for _, name in plans.made(spec, cluster.conditions, cluster.made)}
    ours = frozenset(adoption.run_by_us(cluster.detected)) | recorded | made
    case = preview.Case(kind, spec, deletion, tuple(stages), survey.look(spec, whole), others, ours)
    findings = findings_of(case)
    changes = priced(preview.changes_of(case), spec.instance_groups, spec.region)
    return Intent(
        new=asked.model_copy(update={"stages": stages, "findings": findings}),
        changes=changes,
        unpriced=unpriced(changes),
        findings=findings,
        read=preview.read_of(case),
        cluster=spec,
        confirm_name=asked.cluster_tag,
    )


def _asked(kind: str, tag: str, deletion: Deletion, key: str | None) -> NewOperation:
    sent = deletion.model_dump(mode="json")
    return mutations.asked(kind, tag, sent, SCOPES[kind], key)
