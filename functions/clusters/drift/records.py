"""What the clusters table keeps of the last detection of a cluster."""

from __future__ import annotations

from functions.clusters.drift.models import DriftReport
from functions.clusters.records import DRIFT
from functions.core import runtime
from functions.core.ledger.items import item_of, model_of, timestamp
from functions.core.ledger.tables import CLUSTERS
from functions.core.ledger.writes import Refused, check, put, table_name, transact


def read(tag: str) -> DriftReport | None:
    """Read the last detection of a cluster; None when there was none."""
    key = item_of({"cluster_tag": tag, "record": DRIFT})
    answer = runtime.client("dynamodb").get_item(TableName=table_name(CLUSTERS), Key=key, ConsistentRead=True)
    return model_of(DriftReport, answer["Item"]) if "Item" in answer else None


def keep(report: DriftReport) -> bool:
    """Keep a detection, unless a later one is kept already or the cluster is gone; say whether it is kept."""
    key = {"cluster_tag": report.cluster_tag, "record": DRIFT}
    unseen = "attribute_not_exists(#cluster_tag) OR #detected_at <= :at"
    content = item_of(report.model_dump(exclude_none=True) | key)
    written = put(CLUSTERS, content, where=unseen, at=timestamp(report.detected_at))
    exists = check(CLUSTERS, key | {"record": "spec"}, where="attribute_exists(#cluster_tag)")
    try:
        transact([written, exists])
    except Refused:
        return False
    return True
