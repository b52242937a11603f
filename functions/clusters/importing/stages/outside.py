"""Looking at a cluster from outside: what AWS says of its control plane, network, add-ons and HyperPod cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.aws import eks_survey, hyperpod
from functions.clusters import records
from functions.clusters.importing.models.found import ABSENT, Component, Outside, Unknown
from functions.clusters.importing.stages import parts, reading
from functions.clusters.importing.stages.reading import Looking
from functions.core.errors import Cause, Conflict, Layer, PreconditionFailed
from functions.core.stage import Applied, Behaviours, Done, Observation, StageContext
from functions.core.tags import marked

if TYPE_CHECKING:
    from functions.aws.hyperpod_survey import HyperPodFound
    from functions.clusters.importing.models.found import FoundEks
    from functions.core.ledger.models import JsonObject


class DetectCluster:
    """What AWS says of the cluster; it only reads, and what it may not read is unknown."""

    def apply(self, _: StageContext) -> Applied:
        """Make nothing."""
        return Applied("looking at the cluster from outside")

    def observe(self, context: StageContext) -> Observation:
        """Done with what there is; raises PreconditionFailed when the EKS cluster is gone."""
        found = look(context)
        result: JsonObject = {"outside": found.model_dump(mode="json", exclude_none=True)}
        return Done(result, _said(found), (found.eks.arn,))


def look(context: StageContext) -> Outside:
    """Look at the cluster from outside."""
    name, region, looking = context.cluster.names.eks_cluster, context.cluster.region, Looking()
    eks = eks_survey.describe(name)
    if eks is None:
        return _absent(context)
    found = looking.ask("hyperpod", lambda: reading.hyperpod_on(eks, context.cluster.names.hyperpod_cluster))
    known = all(each.what != "hyperpod" for each in looking.unknown)
    if known:
        _check_named(context, eks, found)
    return Outside(
        eks=eks,
        groups=[group.desired for group in found.groups] if found else [] if known else None,
        network=looking.ask("network", lambda: reading.network_of(eks, region)),
        security_groups=looking.ask("security_groups", lambda: reading.groups_of(eks, found)) or [],
        hyperpod=reading.hyperpod_of(found) if found else None,
        hyperpod_marked=_marked(context, found, looking) if found else None,
        components=[
            *parts.addons_of(name, looking),
            *parts.access_of(eks, looking),
            *_provider(context, eks, looking),
        ],
        s3_driver_role_arn=parts.s3_driver_role(name, looking),
        unknown=looking.unknown,
    )


def _provider(context: StageContext, eks: FoundEks, looking: Looking) -> list[Component]:
    return [parts.provider_of(eks, context.cluster, looking)] if eks.issuer else []


def _marked(context: StageContext, found: HyperPodFound, looking: Looking) -> bool | None:
    tags = looking.ask("hyperpod_tags", lambda: hyperpod.tags(found.arn))
    return None if tags is None else marked(tags, context.cluster.tag)


def _said(found: Outside) -> str:
    eks, hyperpod = found.eks, found.hyperpod
    capacity = f"HyperPod cluster {hyperpod.name} with {len(hyperpod.groups)} groups" if hyperpod else "no HyperPod"
    unknown = f"; not known: {', '.join(each.what for each in found.unknown)}" if found.unknown else ""
    return f"{eks.name} is {eks.status}, Kubernetes {eks.version}, {eks.authentication_mode}; {capacity}{unknown}"


def _absent(context: StageContext) -> Outside:
    """Give what is left of a cluster that was known; raises PreconditionFailed for one that nobody has seen yet."""
    before = records.detected(context.cluster.tag)
    if before is None:
        raise _gone(context.cluster.names.eks_cluster)
    reason = "the EKS cluster is gone"
    lost = [Unknown(what=what, reason=reason, code=ABSENT) for what in ("network", "hyperpod")]
    return Outside(eks=before.eks.model_copy(update={"status": ABSENT}), components=[], unknown=lost)


def _check_named(context: StageContext, eks: FoundEks, found: HyperPodFound | None) -> None:
    """Refuse an import that names a HyperPod cluster of another EKS cluster, or one that does not exist."""
    named = context.operation.request.get("hyperpod_cluster_name")
    if not named or (found is not None and found.name == named):
        return
    runs = f"{found.name} does" if found else "none does"
    raise Conflict(
        f"The HyperPod cluster {named} does not run on the EKS cluster {eks.name}; {runs}.",
        cause=Cause(layer=Layer.HYPERPOD, service="sagemaker", api_call="DescribeCluster", resource=str(named)),
        remedy="Let this cluster be forgotten, then import it with the right hyperpod_cluster_name or without one.",
    )


def _gone(name: str) -> PreconditionFailed:
    return PreconditionFailed(
        f"There is no EKS cluster named {name}.",
        cause=Cause(layer=Layer.AWS, service="eks", api_call="DescribeCluster", resource=name),
        remedy="Forget the cluster, or make an EKS cluster of that name again, then retry the operation.",
    )


STAGES: Behaviours = {"detect_cluster": DetectCluster()}
