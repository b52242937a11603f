"""The route that lists the EKS clusters of the region which the ledger does not know.

Annotations are evaluated here, because Powertools reads them to validate.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from functions.aws import eks_listing, hyperpod
from functions.catalog.answers.routes import Asking
from functions.catalog.importable_clusters.models import ImportableCluster, ImportableClusterPage
from functions.catalog.importable_clusters.rules import with_hyperpod
from functions.core import application
from functions.core.application import PageLimit, PageToken
from functions.core.deadlines import TimeOver
from functions.core.ledger.clusters import known_names
from functions.core.ledger.paging import page_limit, seal, unseal
from functions.core.ledger.tables import BY_EKS_CLUSTER, BY_HYPERPOD_CLUSTER
from functions.core.runtime import Patience

# Each cluster takes a call.
LARGEST_PAGE = 25


def list_importable_clusters(limit: PageLimit = None, next_token: PageToken = None) -> ImportableClusterPage:
    """List the EKS clusters of the region that the ledger does not know, at most 25 a page."""
    caller, query = application.caller().id, {"list": "importable_clusters"}
    size = min(page_limit(limit), LARGEST_PAGE)
    after = unseal(next_token, query, caller) if next_token else None
    asking = Asking()
    listed = asking.ask("importable_clusters", lambda: eks_listing.page(size, after, Patience.EDGE))
    if listed is None:
        return ImportableClusterPage(source="run_time", unknown=asking.unknown, importable_clusters=None)
    names, position = listed
    known = known_names(BY_EKS_CLUSTER)
    found = list(_described(asking, (name for name in names if name not in known)))
    hyperpods = _hyperpods(asking) if found else None
    return ImportableClusterPage(
        source="run_time",
        unknown=asking.unknown,
        importable_clusters=[with_hyperpod(cluster, hyperpods) for cluster in found],
        next_token=seal(position, query, caller) if position else None,
    )


def _described(asking: Asking, names: Iterable[str]) -> Iterator[ImportableCluster]:
    """Describe clusters; one that is gone since it was listed is left out, one that EKS does not describe is not."""
    for name in names:
        answer = asking.ask(f"importable_clusters.{name}", partial(eks_listing.outline, name, Patience.EDGE))
        if answer is None:
            yield ImportableCluster(name=name)
        else:
            yield from answer


def _hyperpods(asking: Asking) -> Mapping[str, str] | None:
    def look() -> Mapping[str, str]:
        ours = known_names(BY_HYPERPOD_CLUSTER)
        found = hyperpod.names_by_eks_cluster(ours, asking.in_time, Patience.EDGE)
        if found is None:
            raise TimeOver
        return found

    return asking.ask("importable_clusters.hyperpod_cluster", look)
