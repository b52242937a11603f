"""The end of a Helm release of ours."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from functions.aws import eks
from functions.clusters.deletion.stages.administration.access import applied, observed
from functions.core import runtime, settings
from functions.core.stage import Applied, Done, Observation, Reapply, StageContext, Waiting
from functions.features.helm.models import Chart
from functions.features.helm.rules import MANAGED_BY, MANAGER, WORKER_LIFE
from functions.kubernetes_api import helm

if TYPE_CHECKING:
    from functions.kubernetes_api.connection import ClusterClient
    from functions.kubernetes_api.helm import Release

_POLL_SECONDS: Final = 30


class HelmReleaseRemoval:
    """The release that the stage's parameter names; one of somebody else is left alone."""

    def apply(self, context: StageContext) -> Applied:
        """Uninstall it, unless a worker is at it."""
        return applied(context, lambda client: _uninstall(client, context))

    def observe(self, context: StageContext) -> Observation:
        """Done when no revision of ours is left."""
        return observed(context, lambda client: _outlook(client, context))


def _uninstall(client: ClusterClient, context: StageContext) -> Applied:
    newest = _newest(client, context)
    if newest is None or not _is_ours(newest) or _is_worked_on(newest):
        return Applied(f"{context.parameter} is {newest.status if newest else 'absent'}")
    server = eks.api_server_of(context.cluster.names.eks_cluster)
    helm.uninstall(helm.Target(server, context.parameter, _namespace(context)))
    resource = f"helm/{_namespace(context)}/{context.parameter}"
    return Applied(f"uninstalled {context.parameter}", (resource,))


def _outlook(client: ClusterClient, context: StageContext) -> Observation:
    newest = _newest(client, context)
    if newest is None:
        return Done({}, f"the release {context.parameter} is gone")
    if not _is_ours(newest):
        return Done({}, f"the release {context.parameter} is not ours and is left alone")
    if _is_worked_on(newest):
        return Waiting(_POLL_SECONDS, f"a worker is at {context.parameter}, or was when it died")
    return Reapply(f"the release {context.parameter} is {newest.status}")


def _newest(client: ClusterClient, context: StageContext) -> Release | None:
    return next(iter(helm.revisions(client, context.parameter, _namespace(context))), None)


def _is_ours(release: Release) -> bool:
    return release.labels.get(MANAGED_BY) == MANAGER


def _is_worked_on(release: Release) -> bool:
    at_work = release.status.startswith("pending") or release.status == "uninstalling"
    return at_work and runtime.now() - release.created_at < WORKER_LIFE


def _namespace(context: StageContext) -> str:
    shipped: dict[str, dict[str, str]] = json.loads(settings.required("CHARTS"))
    return Chart(**shipped[context.parameter]).namespace
