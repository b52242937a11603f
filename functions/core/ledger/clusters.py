"""What the ledger's workers read of a cluster: its identity, from its `spec` record."""

from __future__ import annotations

from functions.core import runtime
from functions.core.cluster import ClusterIdentity
from functions.core.errors import NotFound
from functions.core.ledger.items import item_of, model_of
from functions.core.ledger.tables import CLUSTERS
from functions.core.ledger.writes import table_name


def identity_of(tag: str) -> ClusterIdentity:
    """Read what a cluster and its parts are called; raise NotFound."""
    key = item_of({"cluster_tag": tag, "record": "spec"})
    answer = runtime.client("dynamodb").get_item(TableName=table_name(CLUSTERS), Key=key, ConsistentRead=True)
    if "Item" not in answer:
        raise NotFound(f"There is no cluster with the tag {tag!r}.", remedy="GET /api/clusters lists the tags.")
    return model_of(ClusterIdentity, answer["Item"])
