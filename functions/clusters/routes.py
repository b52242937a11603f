"""The clusters routes: parse, check what can be checked at once, begin an operation or read the tables.

Annotations are evaluated here, because Powertools reads them to validate.
"""

from collections.abc import Mapping
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path

from functions.clusters import records, rules
from functions.clusters.models import (
    ActiveCluster,
    ChooseActiveCluster,
    ClusterPage,
    ClusterSummary,
    ClusterView,
    ConfigureDependencies,
    CreateCluster,
    HyperPod,
    LastOperation,
    S3Mount,
)
from functions.clusters.placement import routes as placement
from functions.clusters.preflight import routes as preflight
from functions.clusters.reuse import routes as reuse
from functions.core import application, catalogue, ledger, runtime, settings
from functions.core.application import IdempotencyKey, PageLimit, PageToken
from functions.core.errors import (
    AlreadyExists,
    FieldError,
    InvalidRequest,
    PreconditionFailed,
)
from functions.core.ledger.models import NewOperation, Operation, PlannedStage
from functions.core.ledger.paging import page_limit, seal, unseal
from functions.core.ledger.queries import newest_on

Tag = Annotated[str, Path(max_length=64, description="The tag of a cluster.")]


def create_cluster(request: CreateCluster, idempotency_key: IdempotencyKey = None) -> Response[Operation]:
    """Begin a cluster, or its foundation alone."""
    deployed = settings.current()
    _check_region(request.region, deployed.region)
    tag = request.tag or rules.generated_tag(application.caller().id, idempotency_key or ledger.new_identifier())
    asked = _asked(tag, request, idempotency_key)
    if earlier := ledger.replayed(asked):
        return application.accepted(earlier)
    names = rules.names_of(tag, deployed.account_id, deployed.region, request.foundation.reused)
    seen = preflight.look(request, deployed.region, names.hyperpod_cluster, lambda: reuse.look(request, names.bucket))
    placement.check_with_foundation(request, tag, look=seen.answered)
    egress = settings.fixed_egress_addresses()
    spec = rules.spec_of(request, tag, deployed.account_id, deployed.region, runtime.now(), egress)
    new = {"new_cluster": spec.model_dump(mode="json", exclude_none=True), "findings": seen.findings}
    return _begin(asked, request, new)


def configure_dependencies(
    tag: Tag, request: ConfigureDependencies | None = None, idempotency_key: IdempotencyKey = None
) -> Response[Operation]:
    """Begin to install a cluster's add-ons."""
    return _begin_on(tag, request or ConfigureDependencies(), idempotency_key)


def create_hyperpod(tag: Tag, request: HyperPod, idempotency_key: IdempotencyKey = None) -> Response[Operation]:
    """Begin a HyperPod cluster on a foundation that stands."""
    return _begin_on(tag, request, idempotency_key)


def create_storage(
    tag: Tag, request: S3Mount | None = None, idempotency_key: IdempotencyKey = None
) -> Response[Operation]:
    """Begin to mount the cluster's bucket."""
    return _begin_on(tag, request or S3Mount(), idempotency_key)


def list_clusters(limit: PageLimit = None, next_token: PageToken = None) -> ClusterPage:
    """List the clusters of the ledger; other stacks of the account are none of ours."""
    caller, query = application.caller().id, {"list": "clusters"}
    after = unseal(next_token, query, caller) if next_token else None
    found, position = records.page(page_limit(limit), after)
    return ClusterPage(
        clusters=[_summary(cluster) for cluster in found],
        next_token=seal(position, query, caller) if position else None,
    )


def get_cluster(tag: Tag) -> ClusterView:
    """Read a cluster: what was asked for, how it stands, what is going on."""
    cluster = records.read(tag)
    last = newest_on(tag)
    return ClusterView(
        tag=tag,
        spec=cluster.spec,
        conditions=cluster.conditions,
        active_operation_ids=cluster.active_operation_ids,
        last_operation=_in_short(last) if last else None,
    )


def get_active_cluster() -> ActiveCluster:
    """Read which cluster the caller works with."""
    return ActiveCluster(cluster_tag=records.active_cluster(application.caller().id))


def put_active_cluster(request: ChooseActiveCluster) -> ActiveCluster:
    """Choose the cluster the caller works with."""
    records.choose_active_cluster(application.caller().id, request.cluster_tag)
    return ActiveCluster(cluster_tag=request.cluster_tag)


def _begin_on(tag: str, request: rules.Request, key: str | None) -> Response[Operation]:
    asked = _asked(tag, request, key)
    # A repeat is recognised first: by now the cluster may refuse what it allowed then.
    if earlier := ledger.replayed(asked):
        return application.accepted(earlier)
    cluster = records.read(tag)
    if missing := rules.unmet(asked.kind, cluster.conditions):
        raise _too_early(tag, missing)
    if rules.already_done(asked.kind, cluster.conditions):
        raise _stands_already(tag)
    change: dict[str, object] = {"cluster_version": cluster.spec.version}
    if isinstance(request, HyperPod):
        seen = preflight.look(request, cluster.spec.region, cluster.spec.names.hyperpod_cluster)
        placement.check_on_foundation(request, cluster, look=seen.answered)
        change["findings"] = seen.findings
    change["changed_cluster"] = rules.changes_of(request, cluster.spec)
    return _begin(asked, request, change)


def _asked(tag: str, request: rules.Request, key: str | None) -> NewOperation:
    """Note what identifies a request; nothing is looked up or planned for it yet."""
    kind, sent = rules.kind_of(request), request.model_dump(mode="json", exclude_unset=True)
    return NewOperation(
        kind=kind,
        cluster_tag=tag,
        actor=application.caller().actor,
        request=sent,
        stages=[],
        scopes=rules.SCOPES[kind],
        route=application.route(),
        idempotency_key=key,
        sent=sent,
    )


def _begin(asked: NewOperation, request: rules.Request, cluster: Mapping[str, object]) -> Response[Operation]:
    stages = [_planned(phase, name) for phase, name in rules.plan(asked.kind, request)]
    kept = request.model_dump(mode="json")
    if size := rules.too_large(kept):
        raise _too_large(size)
    planned = {"request": kept, "stages": stages}
    return application.accepted(ledger.begin(asked.model_copy(update={**planned, **cluster})).operation)


def _planned(phase: str, name: str) -> PlannedStage:
    declared, parameter = catalogue.stage(name), name.partition(":")[2]
    return PlannedStage(
        phase=phase,
        name=name,
        function=declared.function,
        title=f"{declared.title}: {parameter}" if parameter else declared.title,
        expected_seconds=declared.expected_seconds,
    )


def _check_region(sent: str | None, deployed: str) -> None:
    if sent not in (None, deployed):
        error = FieldError(field="region", message=f"{sent} is not the region of this deployment", allowed=[deployed])
        raise InvalidRequest(f"region: {error.message}", errors=[error])


def _too_large(size: int) -> InvalidRequest:
    error = FieldError(field="body", message=f"comes to {size} bytes; {rules.LARGEST_REQUEST} are kept")
    remedy = "Send shorter or fewer labels, taints and groups."
    return InvalidRequest(f"body: {error.message}", errors=[error], remedy=remedy)


def _too_early(tag: str, missing: rules.Unmet) -> PreconditionFailed:
    reason = f" ({missing.message})" if missing.message else ""
    return PreconditionFailed(
        f"Cluster {tag} does not have the condition {missing.condition}{reason}.",
        remedy=f"Let an operation {missing.made_by} on {tag} succeed first.",
    )


def _stands_already(tag: str) -> AlreadyExists:
    return AlreadyExists(
        f"Cluster {tag} has its HyperPod cluster.",
        remedy=f"GET /api/clusters/{tag} shows its instance groups; create another cluster for other groups.",
    )


def _summary(cluster: records.Cluster) -> ClusterSummary:
    spec = cluster.spec
    return ClusterSummary(
        tag=spec.tag,
        region=spec.region,
        availability_zone=spec.availability_zone,
        created_at=spec.created_at,
        conditions=cluster.conditions,
    )


def _in_short(operation: Operation) -> LastOperation:
    return LastOperation(
        operation_id=operation.operation_id,
        kind=operation.kind,
        status=operation.status,
        created_at=operation.created_at,
        finished_at=operation.finished_at,
    )
