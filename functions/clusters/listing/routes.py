"""The route that lists clusters.

Annotations are evaluated here, because Powertools reads them to validate.
"""

from dataclasses import asdict
from typing import Annotated, Literal

from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.clusters import records
from functions.clusters.listing.rules import Filter, summary_of
from functions.clusters.models import ClusterPage, ClusterSummary, SummaryStatus
from functions.core import application
from functions.core.application import PageLimit, PageToken
from functions.core.ledger.paging import page_limit, seal, unseal

Word = Annotated[str | None, Query(min_length=1, max_length=128)]
# A filter that matches little ends a page early, still with a token.
_MOST_QUERIES = 10


def list_clusters(
    contains: Annotated[str | None, Query(min_length=1, max_length=64, description="Part of the tag.")] = None,
    status: Annotated[SummaryStatus | None, Query()] = None,
    origin: Annotated[Literal["created", "imported"] | None, Query()] = None,
    owner_group: Word = None,
    availability_zone: Word = None,
    limit: PageLimit = None,
    next_token: PageToken = None,
) -> ClusterPage:
    """List the clusters of the ledger by tag; other clusters and stacks of the account are none of ours."""
    wanted = Filter(contains, status, origin, owner_group, availability_zone)
    caller, size = application.caller().id, page_limit(limit)
    query = {"list": "clusters", **asdict(wanted)}
    found, position = _read(wanted, size, unseal(next_token, query, caller) if next_token else None)
    return ClusterPage(clusters=found, next_token=seal(position, query, caller) if position else None)


def _read(wanted: Filter, size: int, position: str | None) -> tuple[list[ClusterSummary], str | None]:
    """Give a page's clusters and the tag after which the next page goes on, None at the end."""
    found: list[ClusterSummary] = []
    for _ in range(_MOST_QUERIES):
        clusters, position = records.page(size + 1, position)
        found += [summary for cluster in clusters if (summary := _summary(cluster, wanted))]
        if len(found) > size:
            return found[:size], found[size - 1].tag
        if position is None:
            return found, None
    return found, position


def _summary(cluster: records.Cluster, wanted: Filter) -> ClusterSummary | None:
    spec, summary = cluster.spec, summary_of(cluster.conditions, cluster.active_operation_ids)
    if not wanted.takes(spec, summary):
        return None
    return ClusterSummary(
        tag=spec.tag,
        region=spec.region,
        availability_zone=spec.availability_zone,
        origin=spec.origin,
        owner_groups=spec.owner_groups,
        created_at=spec.created_at,
        summary=summary,
        conditions=cluster.conditions,
        active_operation_ids=cluster.active_operation_ids,
    )
