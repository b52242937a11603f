"""The route that lists namespaces: it asks the cluster itself, within seconds.

Annotations are evaluated here, because Powertools reads them to validate.
"""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Path

from functions.aws import eks
from functions.core import application
from functions.core.application import PageLimit, PageToken
from functions.core.cluster import ClusterSpec
from functions.core.errors import PreconditionFailed, StageFailed, Unavailable
from functions.core.ledger.clusters import spec_of
from functions.core.ledger.models import JsonObject
from functions.core.ledger.paging import page_limit, seal, unseal
from functions.identity.namespaces.manifests import view
from functions.identity.namespaces.models import NamespacePage
from functions.kubernetes_api import connection, objects
from functions.kubernetes_api.objects import NAMESPACES, NO_ENTRY, NO_RIGHT

Tag = Annotated[str, Path(max_length=64, description="The tag of a cluster.")]


def list_namespaces(tag: Tag, limit: PageLimit = None, next_token: PageToken = None) -> NamespacePage:
    """List the namespaces of a cluster, by name."""
    caller, query = application.caller().id, {"list": "namespaces", "cluster": tag}
    after = unseal(next_token, query, caller) if next_token else None
    found, following = _page(spec_of(tag), page_limit(limit), after)
    return NamespacePage(
        namespaces=[view(each, tag) for each in found],
        next_token=seal(following, query, caller) if following else None,
    )


def _page(spec: ClusterSpec, size: int, after: str | None) -> tuple[list[JsonObject], str | None]:
    cluster = spec.names.eks_cluster
    try:
        return objects.page(connection.connect(cluster, eks.api_server_of), NAMESPACES, size, after)
    except Unavailable as silent:
        raise Unavailable(
            f"The EKS cluster {cluster} of {spec.tag} gave no answer: {silent.detail}",
            cause=silent.cause,
            remedy="Try again; if it stays so, check that the cluster's endpoint is public and lets the deployment in.",
        ) from silent
    except StageFailed as refused:
        # It is the control plane that is not let in, whoever the caller is: no 403, which would blame the caller.
        if refused.cause is None or refused.cause.code not in (NO_ENTRY, NO_RIGHT):
            raise
        raise PreconditionFailed(refused.detail, cause=refused.cause, remedy=refused.remedy) from refused
