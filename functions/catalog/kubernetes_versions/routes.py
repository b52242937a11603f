"""The route that lists Kubernetes versions."""

from functions.aws import eks_listing
from functions.catalog.answers.routes import Asking
from functions.catalog.kubernetes_versions.models import KubernetesVersionList
from functions.catalog.kubernetes_versions.rules import versions
from functions.core.runtime import Patience


def list_kubernetes_versions() -> KubernetesVersionList:
    """List the versions that a new cluster may have."""
    asking = Asking()
    offered = asking.ask("kubernetes_versions", lambda: eks_listing.offered_versions(Patience.EDGE))
    return KubernetesVersionList(
        source="shipped" if offered is None else "run_time",
        unknown=asking.unknown,
        kubernetes_versions=versions(offered),
    )
