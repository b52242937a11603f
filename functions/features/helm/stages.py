"""Helm releases: the chart of the release, verified, installed or upgraded, and put right after a worker died in it."""

from __future__ import annotations

import hashlib
import json
from functools import partial
from typing import TYPE_CHECKING, Final

from functions.aws import artifacts, eks
from functions.catalog.rules import types_with_efa
from functions.core import detection, runtime, settings
from functions.core.cluster import AccessRole
from functions.core.detection import Part
from functions.core.drifts import ABSENT, ASIDE, Drift, drift
from functions.core.errors import Cause, Conflict, DeploymentFault, Layer
from functions.core.stage import Applied, Behaviours, Done, Observation, Reapply, StageContext, Waiting
from functions.features.helm.models import ON, Chart, DependenciesValues, EfaDevicePlugin, Global, InstanceTypes
from functions.features.helm.rules import (
    CONTENT,
    MANAGED_BY,
    MANAGER,
    Decision,
    Revision,
    Step,
    Wanted,
    content_of,
    decide,
    differences,
)
from functions.kubernetes_api import connection, helm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pydantic import JsonValue

    from functions.core.cluster import ClusterSpec
    from functions.kubernetes_api.connection import ClusterClient

_POLL_SECONDS: Final = 30
_KIND: Final = "Helm release"


class HelmRelease:
    """The release that the stage's parameter names."""

    def apply(self, context: StageContext) -> Applied:
        """Take the one step that the release's revisions call for."""
        chart, decision = _chart(context.parameter), _decision(context)
        target = helm.Target(eks.api_server_of(context.cluster.names.eks_cluster), context.parameter, chart.namespace)
        resource = (f"helm/{chart.namespace}/{context.parameter}",)
        match decision.step:
            case Step.NOTHING:
                return Applied(f"{context.parameter} {chart.version} stands", resource)
            case Step.WAIT:
                return Applied(f"another worker is at {context.parameter}")
            case Step.REFUSE:
                raise _foreign(context, chart)
            case Step.ROLL_BACK:
                helm.rollback(target, decision.revision)
                return Applied(f"rolled {context.parameter} back to revision {decision.revision}", resource)
            case Step.UNINSTALL:
                helm.uninstall(target)
                return Applied(f"removed what a dead worker left of {context.parameter}")
            case Step.UPGRADE:
                _upgrade(context, target, chart)
                return Applied(f"{context.parameter} {chart.version} installed", resource)

    def observe(self, context: StageContext) -> Observation:
        """Done when the newest revision is deployed with what is wanted; pods are the next stages' concern."""
        chart, decision = _chart(context.parameter), _decision(context)
        if decision.step is Step.NOTHING:
            result = {"release": context.parameter, "version": chart.version, "namespace": chart.namespace}
            return Done(result, f"{context.parameter} {chart.version} is deployed")
        if decision.step is Step.WAIT:
            return Waiting(_POLL_SECONDS, f"a worker is at {context.parameter}, or was when it died")
        return Reapply(f"{context.parameter} is not as wanted ({decision.step})")


def _decision(context: StageContext) -> Decision:
    chart = _chart(context.parameter)
    client = connection.connect(context.cluster.names.eks_cluster, eks.api_server_of, AccessRole.ADMIN)
    return decide(_revisions(client, context.parameter, chart), _wanted(chart, _values(context)), runtime.now())


def _revisions(client: ClusterClient, name: str, chart: Chart) -> list[Revision]:
    return [
        Revision(each.revision, each.status, each.created_at, each.labels, each.chart_version, each.values)
        for each in helm.revisions(client, name, chart.namespace)
    ]


def _wanted(chart: Chart, values: dict[str, JsonValue]) -> Wanted:
    return Wanted(content_of(chart.sha256, values), chart.version, values)


def _upgrade(context: StageContext, target: helm.Target, chart: Chart) -> None:
    values = _values(context)
    labels = {MANAGED_BY: MANAGER, CONTENT: content_of(chart.sha256, values)}
    helm.upgrade(target, _content(chart), values, labels)


def _chart(name: str) -> Chart:
    shipped: dict[str, dict[str, str]] = json.loads(settings.required("CHARTS"))
    if name not in shipped:
        raise DeploymentFault(
            f"The release ships no chart {name}.",
            cause=Cause(layer=Layer.CONTROL_PLANE, resource=name),
            remedy="Deploy the release again; its list of charts is incomplete.",
        )
    return Chart(**shipped[name])


def _content(chart: Chart) -> bytes:
    """Fetch a chart and refuse one that is not what the lock says."""
    bucket = settings.required("ARTIFACT_BUCKET")
    content = artifacts.fetch(bucket, chart.key)
    found = hashlib.sha256(content).hexdigest()
    if found != chart.sha256:
        raise DeploymentFault(
            f"The chart s3://{bucket}/{chart.key} has the digest {found}, the lock says {chart.sha256}.",
            cause=Cause(layer=Layer.CONTROL_PLANE, service="s3", code="DIGEST_MISMATCH", resource=chart.key),
            remedy="Find out who changed the artifact, then deploy the release again.",
        )
    return content


def _values(context: StageContext) -> dict[str, JsonValue]:
    return _VALUES[context.parameter](context.cluster)


def _dependencies(cluster: ClusterSpec) -> dict[str, JsonValue]:
    efa = EfaDevicePlugin(device_plugin=ON, instance_types=InstanceTypes(values=types_with_efa()))
    values = DependenciesValues(everywhere=Global(region=cluster.region), efa_device_plugin=efa)
    return values.model_dump(mode="json", by_alias=True)


def _foreign(context: StageContext, chart: Chart) -> Conflict:
    return Conflict(
        f"A release {context.parameter} exists in {chart.namespace} that the control plane did not install.",
        cause=Cause(layer=Layer.KUBERNETES, service="helm", resource=f"{chart.namespace}/{context.parameter}"),
        remedy=f"Uninstall it (helm uninstall {context.parameter} -n {chart.namespace}), then retry the operation.",
    )


_VALUES: Final[dict[str, Callable[[ClusterSpec], dict[str, JsonValue]]]] = {"dependencies": _dependencies}


def _parts(context: StageContext) -> Iterator[Part]:
    for name in context.parameter.split(","):
        yield Part(name, _KIND, (f"helm_release:{name}",), partial(_look, context, name))


def _look(context: StageContext, name: str) -> list[Drift]:
    chart, values = _chart(name), _VALUES[name](context.cluster)
    client = connection.connect(context.cluster.names.eks_cluster, eks.api_server_of, AccessRole.ADMIN)
    resource, stage = f"{chart.namespace}/{name}", f"helm_release:{name}"
    revisions = _revisions(client, name, chart)
    if not revisions:
        return [drift(resource, _KIND, stage, expected="deployed", actual=ABSENT)]
    newest = revisions[0]
    if newest.labels.get(MANAGED_BY) != MANAGER:
        found = "somebody else installed it"
        return [drift(resource, _KIND, None, expected="a release of ours", actual=found, remedy=ASIDE)]
    if newest.status != "deployed":
        return [drift(resource, _KIND, stage, "status", expected="deployed", actual=newest.status)]
    return [
        drift(resource, _KIND, stage, each, expected=expected, actual=actual)
        for each, expected, actual in differences(newest, _wanted(chart, values))
    ]


STAGES: Behaviours = {"helm_release": HelmRelease(), "helm_release_drift": detection.of(_parts)}
