"""The clusters routes: parse, check what can be checked at once, begin an operation or read the tables.

Annotations are evaluated here, because Powertools reads them to validate.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Path

from functions.catalog.prices.rules import priced, unpriced
from functions.clusters import records, rules
from functions.clusters.importing.rules import adoption
from functions.clusters.listing.rules import summary_of
from functions.clusters.models import (
    ActiveCluster,
    ChooseActiveCluster,
    ClusterView,
    ConfigureDependencies,
    CreateCluster,
    HyperPod,
    LastOperation,
    S3Mount,
)
from functions.clusters.preflight.models import Target
from functions.clusters.preflight.rules.leftovers import check_kept_data
from functions.clusters.preflight.rules.requests import target_of
from functions.clusters.preflight.stages.survey import Seen, survey
from functions.clusters.previewing import rules as previewing
from functions.clusters.reuse import routes as reuse
from functions.core import application, gathering, ledger, mutations, runtime, settings
from functions.core.application import IdempotencyKey
from functions.core.declaration import Scope
from functions.core.errors import FieldError, InvalidRequest
from functions.core.findings import Finding
from functions.core.ledger.models import JsonObject, NewOperation, Operation
from functions.core.ledger.queries import newest_on
from functions.core.mutations import Answer, Confirm, DryRun, Intent

Tag = Annotated[str, Path(max_length=64, description="The tag of a cluster.")]


def create_cluster(
    request: CreateCluster, dry_run: DryRun = False, confirm: Confirm = None, idempotency_key: IdempotencyKey = None
) -> Answer:
    """Begin a cluster, or its foundation alone."""
    deployed = settings.current()
    _check_region(request.region, deployed.region)
    # The same for a repeat, and for the preview that an agent confirms.
    known_by = mutations.key_of(_sent(request), idempotency_key).value
    tag = request.tag or rules.generated_tag(application.caller().id, known_by or ledger.new_identifier())
    asked = _asked(tag, request, idempotency_key)
    return mutations.carry_out(
        asked, lambda: _creation(asked, request, deployed, dry_run=dry_run), dry_run=dry_run, confirm=confirm
    )


def configure_dependencies(
    tag: Tag,
    request: ConfigureDependencies | None = None,
    dry_run: DryRun = False,
    confirm: Confirm = None,
    idempotency_key: IdempotencyKey = None,
) -> Answer:
    """Begin to install a cluster's add-ons."""
    return _begin_on(tag, request or ConfigureDependencies(), idempotency_key, dry_run=dry_run, confirm=confirm)


def create_hyperpod(
    tag: Tag,
    request: HyperPod,
    dry_run: DryRun = False,
    confirm: Confirm = None,
    idempotency_key: IdempotencyKey = None,
) -> Answer:
    """Begin a HyperPod cluster on a foundation that stands."""
    return _begin_on(tag, request, idempotency_key, dry_run=dry_run, confirm=confirm)


def create_storage(
    tag: Tag,
    request: S3Mount | None = None,
    dry_run: DryRun = False,
    confirm: Confirm = None,
    idempotency_key: IdempotencyKey = None,
) -> Answer:
    """Begin to mount the cluster's bucket."""
    return _begin_on(tag, request or S3Mount(), idempotency_key, dry_run=dry_run, confirm=confirm)


def get_cluster(tag: Tag) -> ClusterView:
    """Read a cluster: what was asked for, how it stands, what is going on."""
    cluster = records.read(tag)
    last = newest_on(tag)
    return ClusterView(
        tag=tag,
        spec=cluster.spec,
        summary=summary_of(cluster.conditions, cluster.active_operation_ids),
        conditions=cluster.conditions,
        active_operation_ids=cluster.active_operation_ids,
        last_operation=_in_short(last) if last else None,
        detected=cluster.detected,
        drift_detected_at=cluster.drift_detected_at,
    )


def get_active_cluster() -> ActiveCluster:
    """Read which cluster the caller works with."""
    return ActiveCluster(cluster_tag=records.active_cluster(application.caller().id))


def put_active_cluster(request: ChooseActiveCluster) -> ActiveCluster:
    """Choose the cluster the caller works with."""
    records.choose_active_cluster(application.caller().id, request.cluster_tag)
    return ActiveCluster(cluster_tag=request.cluster_tag)


def _creation(asked: NewOperation, request: CreateCluster, deployed: settings.Settings, *, dry_run: bool) -> Intent:
    """Decide what a creation comes to."""
    tag = asked.cluster_tag
    names = rules.names_of(tag, deployed.account_id, deployed.region, request.foundation.reused)
    named = reuse.named(request.hyperpod.groups if request.hyperpod else ())
    vpc_id, ranges = request.foundation.vpc_id, request.foundation.chosen
    target = Target(tag, deployed.account_id, deployed.region, names, vpc_id, named=named, chosen_ranges=ranges)
    seen = _look(request, target)
    findings = seen.findings
    administrator = Scope.ADMIN in application.caller().scopes
    findings += check_kept_data(findings, names.bucket or "", administrator=administrator)
    egress = settings.fixed_egress_addresses()
    spec = rules.spec_of(request, tag, deployed.account_id, deployed.region, runtime.now(), egress)
    new = _planned(asked, request, findings, rules.plan(asked.kind, request))
    made = previewing.standing(previewing.creation(new.stages, spec, spec.instance_groups), findings)
    changes = priced(made, spec.instance_groups, spec.region)
    return Intent(
        new=new.model_copy(update={"new_cluster": spec.model_dump(mode="json", exclude_none=True)}),
        changes=changes,
        unpriced=unpriced(changes),
        findings=[*findings, *(_about_tag(tag, generated=request.tag is None) if dry_run else [])],
        read=dict(seen.read),
    )


def _begin_on(tag: str, request: rules.Request, key: str | None, *, dry_run: bool, confirm: str | None) -> Answer:
    asked = _asked(tag, request, key)
    return mutations.carry_out(asked, lambda: _intent_on(asked, request), dry_run=dry_run, confirm=confirm)


def _intent_on(asked: NewOperation, request: rules.Request) -> Intent:
    tag = asked.cluster_tag
    cluster = records.read(tag)
    mutations.owned(cluster.spec)
    findings = rules.out_of_turn(tag, asked.kind, cluster.conditions)
    read: dict[str, int | str] = {"spec": cluster.spec.version}
    if isinstance(request, HyperPod):
        target = replace(target_of(cluster.spec, cluster.conditions), named=reuse.named(request.groups))
        seen = survey(request, target, gathering.at_edge())
        findings += seen.findings
        read |= seen.read
    changed = {
        "cluster_version": cluster.spec.version,
        "changed_cluster": rules.changes_of(request, cluster.spec),
    }
    stages, adopted = adoption.fitted(rules.plan(asked.kind, request), cluster.spec, cluster.detected)
    findings += [*adoption.in_the_way((phase for phase, _ in stages), cluster.spec, cluster.detected), *adopted]
    new = _planned(asked, request, findings, stages)
    groups = rules.desired_groups(request)
    changes = priced(previewing.creation(new.stages, cluster.spec, groups), groups, cluster.spec.region)
    return Intent(
        new=new.model_copy(update=changed),
        changes=changes,
        unpriced=unpriced(changes),
        findings=findings,
        read=read,
        cluster=cluster.spec,
    )


def _look(request: CreateCluster, target: Target) -> Seen:
    """Find everything that is wrong or good to know about a new cluster, all of it in the time of one look.

    Zones are written by their names, and groups with a training plan get its zone.
    """
    around = gathering.at_edge()
    taken_over = reuse.ask(request.foundation.reused, target.tag, around)
    seen = survey(request, target, around)
    return replace(seen, findings=[*seen.findings, *reuse.judge(request, target, taken_over())])


def _asked(tag: str, request: rules.Request, key: str | None) -> NewOperation:
    """Note what identifies a request; nothing is looked up or planned for it yet."""
    kind = rules.kind_of(request)
    return mutations.asked(kind, tag, _sent(request), rules.SCOPES[kind], key)


def _sent(request: rules.Request) -> JsonObject:
    return request.model_dump(mode="json", exclude_unset=True)


def _planned(
    asked: NewOperation, request: rules.Request, findings: Sequence[Finding], stages: Sequence[tuple[str, str]]
) -> NewOperation:
    """Plan what was asked for."""
    kept = request.model_dump(mode="json")
    if size := rules.too_large(kept):
        raise _too_large(size)
    planned = [mutations.planned(phase, name) for phase, name in [*rules.look_again(findings), *stages]]
    return asked.model_copy(update={"request": kept, "stages": planned, "findings": [*findings]})


def _about_tag(tag: str, *, generated: bool) -> list[Finding]:
    """Tell of a dry run's tag what a creation in earnest learns when it is written."""
    found = [rules.generated(tag)] if generated else []
    return [*found, rules.taken(tag)] if records.exists(tag) else found


def _check_region(sent: str | None, deployed: str) -> None:
    if sent not in (None, deployed):
        error = FieldError(field="region", message=f"{sent} is not the region of this deployment", allowed=[deployed])
        raise InvalidRequest(f"region: {error.message}", errors=[error])


def _too_large(size: int) -> InvalidRequest:
    error = FieldError(field="body", message=f"comes to {size} bytes; {rules.LARGEST_REQUEST} are kept")
    remedy = "Send shorter or fewer labels, taints and groups."
    return InvalidRequest(f"body: {error.message}", errors=[error], remedy=remedy)


def _in_short(operation: Operation) -> LastOperation:
    return LastOperation(
        operation_id=operation.operation_id,
        kind=operation.kind,
        status=operation.status,
        created_at=operation.created_at,
        finished_at=operation.finished_at,
    )
