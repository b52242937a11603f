"""What the ledger's workers read of a cluster: its desired state."""

from __future__ import annotations

from functions.core import runtime
from functions.core.cluster import ClusterSpec
from functions.core.errors import NotFound
from functions.core.ledger.items import item_of, model_of
from functions.core.ledger.tables import CLUSTERS
from functions.core.ledger.writes import table_name


def spec_of(tag: str) -> ClusterSpec:
    """Read the desired state of a cluster; raise NotFound."""
    key = item_of({"cluster_tag": tag, "record": "spec"})
    answer = runtime.client("dynamodb").get_item(TableName=table_name(CLUSTERS), Key=key, ConsistentRead=True)
    if "Item" not in answer:
        raise NotFound(f"There is no cluster with the tag {tag!r}.", remedy="GET /api/clusters lists the tags.")
    return model_of(ClusterSpec, answer["Item"])
