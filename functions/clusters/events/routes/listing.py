"""The route that reads a cluster's events.

Annotations are evaluated here, because Powertools reads them to validate.
"""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Path

from functions.clusters import records
from functions.core import application
from functions.core.application import PageLimit, PageToken
from functions.core.ledger import cluster_events
from functions.core.observations import ClusterEventPage

Tag = Annotated[str, Path(max_length=64, description="The tag of a cluster.")]


def list_cluster_events(tag: Tag, limit: PageLimit = None, next_token: PageToken = None) -> ClusterEventPage:
    """List what AWS told about a cluster, newest first."""
    if not records.exists(tag):
        raise records.no_cluster(tag)
    caller = application.caller().id
    return cluster_events.list_cluster_events(tag, caller=caller, limit=limit, token=next_token)
