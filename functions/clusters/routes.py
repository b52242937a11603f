"""The clusters routes: parse, check what can be checked at once, begin an operation or read the tables.

Annotations are evaluated here, because Powertools reads them to validate.
"""

from collections.abc import Mapping
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path
from botocore.exceptions import BotoCoreError, ClientError

from functions.aws import zones
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
from functions.core import application, catalogue, ledger, runtime, settings
from functions.core.application import IdempotencyKey, PageLimit, PageToken
from functions.core.errors import (
    AlreadyExists,
    Cause,
    FieldError,
    InvalidRequest,
    Layer,
    PreconditionFailed,
    Unavailable,
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
    _settle_zones(request, deployed.region)
    placement.check_with_foundation(request, tag)
    spec = rules.spec_of(request, tag, deployed.account_id, deployed.region, runtime.now())
    return _begin(asked, request, {"new_cluster": spec.model_dump(mode="json", exclude_none=True)})


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
    if isinstance(request, HyperPod):
        answered = _settle_zones(request, cluster.spec.region)
        placement.check_on_foundation(request, cluster, look=answered)
    changes = rules.changes_of(request, cluster.spec)
    return _begin(asked, request, {"changed_cluster": changes, "cluster_version": cluster.spec.version})


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
    planned = {"request": request.model_dump(mode="json"), "stages": stages}
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


def _settle_zones(request: CreateCluster | HyperPod, region: str) -> bool:
    """Refuse impossible zones and write ids as names; False when EC2 gave no answer and the stages have to look."""
    if not rules.names_zones(request):
        return True
    try:
        known = zones.describe()
    except (BotoCoreError, ClientError) as error:
        if rules.names_zone_ids(request):
            raise _zones_unknown() from error
        application.warn("zones are unchecked: EC2 gave no answer", error)
        return False
    if errors := rules.check_zones(request, known, region):
        raise InvalidRequest(f"{errors[0].field}: {errors[0].message}", errors=errors)
    rules.use_zone_names(request, known)
    return True


def _zones_unknown() -> Unavailable:
    return Unavailable(
        "EC2 does not say at present which zone an id stands for; nothing was begun.",
        cause=Cause(layer=Layer.AWS, service="ec2", api_call="DescribeAvailabilityZones"),
        remedy="Name the zones by their names, or send the request again in a moment.",
    )


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
