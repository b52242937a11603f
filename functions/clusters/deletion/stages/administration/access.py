"""The way into a cluster that is to go: it may be gone already, and it may never answer again."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from functions.aws import eks
from functions.core import runtime
from functions.core.cluster import AccessRole
from functions.core.errors import PreconditionFailed, Problem, Unavailable
from functions.core.stage import Applied, Done
from functions.kubernetes_api import connection
from functions.kubernetes_api.objects import NO_ENTRY

if TYPE_CHECKING:
    from collections.abc import Callable

    from functions.core.stage import Observation, StageContext
    from functions.kubernetes_api.connection import ClusterClient

# A control plane in these states answers, or does so again; in the others nothing can be asked of it any more.
_LIVING: Final = ("ACTIVE", "UPDATING")
# An API server that does not answer for longer is not merely restarting.
_PATIENCE: Final = timedelta(minutes=15)


def applied(context: StageContext, act: Callable[[ClusterClient], Applied]) -> Applied:
    """Act in the cluster; do nothing when there is none. Raises PreconditionFailed when it cannot be entered."""
    if (absent := _absent(context)) is not None:
        return Applied(absent)
    try:
        return act(_client(context))
    except Problem as problem:
        raise _judged(context, problem) from problem


def observed(context: StageContext, look: Callable[[ClusterClient], Observation]) -> Observation:
    """Look into the cluster; done when there is none. Raises PreconditionFailed when it cannot be entered."""
    if (absent := _absent(context)) is not None:
        return Done({}, absent)
    try:
        return look(_client(context))
    except Problem as problem:
        raise _judged(context, problem) from problem


def _absent(context: StageContext) -> str | None:
    """Say that nothing can be in the cluster any more; None while its control plane lives."""
    name = context.cluster.names.eks_cluster
    found = eks.describe_cluster(name)
    if found is not None and found.status in _LIVING:
        return None
    return f"the EKS cluster {name} is {found.status if found else 'absent'}: nothing in it can be asked for"


def _client(context: StageContext) -> ClusterClient:
    return connection.connect(context.cluster.names.eks_cluster, eks.api_server_of, AccessRole.ADMIN)


def _judged(context: StageContext, problem: Problem) -> Problem:
    """Give up on a cluster that lets nobody in, or has not answered for long; anything else stays as it is."""
    shut = problem.cause is not None and problem.cause.code == NO_ENTRY
    waited = runtime.now() - (context.stage.started_at or runtime.now())
    if not shut and not (isinstance(problem, Unavailable) and waited > _PATIENCE):
        return problem
    return PreconditionFailed(
        f"Nobody can look into the EKS cluster {context.cluster.names.eks_cluster}: {problem.detail}",
        cause=problem.cause,
        remedy=f"{problem.remedy} Or leave out what has to be done inside the cluster: DELETE "
        f"/api/clusters/{context.cluster.tag}?skip_workloads=true; its preview (dry_run=true) says what may be left.",
    )
