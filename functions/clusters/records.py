"""What the clusters table holds of a cluster, and each person's choice of an active one."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Final

from functions.clusters.importing.models.found import Detected
from functions.clusters.models import Condition
from functions.core import runtime
from functions.core.cluster import ClusterSpec
from functions.core.errors import NotFound
from functions.core.ledger.clusters import owners_of, records_of
from functions.core.ledger.detection import DETECTED, detected_of
from functions.core.ledger.items import item_of, model_of, plain, text_of
from functions.core.ledger.made import made_in
from functions.core.ledger.tables import BY_TAG, CLUSTERS, LISTED_MARK, PREFERENCES
from functions.core.ledger.writes import names_in, table_name, values_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from functions.core.ledger.items import Item

# What the last detection of drift found, which `drift/records.py` reads and keeps.
DRIFT: Final = "drift"
_SPEC: Final = "spec"
_CONDITION: Final = "condition#"
_LEASE: Final = "lease#"
_ACTIVE_CLUSTER: Final = "active_cluster"
_LAST: Final = "\U0010ffff"
# A `spec`, its conditions and what operations hold; the more of them a Query may read, the fewer pages end early.
_RECORDS_OF_A_CLUSTER: Final = 12


@dataclass(frozen=True)
class Cluster:
    """The records of one cluster; `made` are the stages by phase that made something of an imported one."""

    spec: ClusterSpec
    conditions: list[Condition]
    active_operation_ids: list[str]
    detected: Detected | None = None
    drift_detected_at: datetime | None = None
    made: Mapping[str, list[str]] = field(default_factory=dict)


def read(tag: str) -> Cluster:
    """Read a cluster; raise NotFound."""
    cluster = cluster_of(records_of(tag))
    if cluster is None:
        raise no_cluster(tag)
    return cluster


def cluster_of(items: Iterable[Item]) -> Cluster | None:
    """Put the records of one cluster together; None without its `spec`."""
    records = {text_of(item, "record"): item for item in items}
    if _SPEC not in records:
        return None
    owners = {owner for name, item in records.items() if name.startswith(_LEASE) for owner in owners_of(item)}
    return Cluster(
        spec=model_of(ClusterSpec, records[_SPEC]),
        conditions=[_condition(name, item) for name, item in records.items() if name.startswith(_CONDITION)],
        active_operation_ids=sorted(owners),
        detected=model_of(Detected, records[DETECTED]) if DETECTED in records else None,
        drift_detected_at=_drift_detected_at(records),
        made=made_in(records),
    )


def detected(tag: str) -> Detected | None:
    """Read what was found of an imported cluster; None when nobody has looked yet."""
    found = detected_of(tag)
    return Detected.model_validate(found) if found else None


def page(limit: int, after: str | None) -> tuple[list[Cluster], str | None]:
    """Read a page of clusters by tag with one Query, and the tag after which the next goes on.

    The Query may end amid the records of a cluster; such a cluster waits for the next page.
    """
    condition = f"#{BY_TAG.partition.name} = :listed AND #{BY_TAG.sort.name} > :after"
    # No record of a cluster sorts after this one.
    position = f"{after}#{_LAST}" if after else " "
    answer = runtime.client("dynamodb").query(
        TableName=table_name(CLUSTERS),
        IndexName=BY_TAG.name,
        KeyConditionExpression=condition,
        ExpressionAttributeNames=names_in(condition),
        ExpressionAttributeValues=values_in(condition, {"listed": LISTED_MARK, "after": position}),
        Limit=(limit + 1) * _RECORDS_OF_A_CLUSTER,
    )
    found, unread = [cluster for cluster in _clusters(answer["Items"]) if cluster], answer.get("LastEvaluatedKey")
    if unread and len(found) > 1 and found[-1].spec.tag == text_of({**unread}, "cluster_tag"):
        found.pop()
    if len(found) > limit:
        return found[:limit], found[limit - 1].spec.tag
    if unread:
        return found, found[-1].spec.tag if found else text_of({**unread}, "cluster_tag")
    return found, None


def exists(tag: str) -> bool:
    """Say whether the ledger knows a cluster of that tag."""
    key = item_of({"cluster_tag": tag, "record": _SPEC})
    answer = runtime.client("dynamodb").get_item(
        TableName=table_name(CLUSTERS), Key=key, ProjectionExpression="cluster_tag", ConsistentRead=True
    )
    return "Item" in answer


def active_cluster(caller: str) -> str | None:
    """Read which cluster a person works with, None when that was never chosen."""
    key = item_of({"caller": caller, "record": _ACTIVE_CLUSTER})
    item = runtime.client("dynamodb").get_item(TableName=table_name(PREFERENCES), Key=key).get("Item")
    return text_of(item, "cluster_tag") or None if item else None


def choose_active_cluster(caller: str, tag: str) -> None:
    """Remember which cluster a person works with; raise NotFound when there is none of that tag."""
    if not exists(tag):
        raise no_cluster(tag)
    item = item_of({"caller": caller, "record": _ACTIVE_CLUSTER, "cluster_tag": tag})
    runtime.client("dynamodb").put_item(TableName=table_name(PREFERENCES), Item=item)


def no_cluster(tag: str) -> NotFound:
    """Say that a tag names no cluster."""
    return NotFound(f"There is no cluster with the tag {tag!r}.", remedy="GET /api/clusters lists the tags.")


def _clusters(items: list[Item]) -> Iterator[Cluster | None]:
    for _, members in groupby(items, key=lambda item: text_of(item, "cluster_tag")):
        yield cluster_of(members)


def _drift_detected_at(records: Mapping[str, Item]) -> datetime | None:
    """Say when the last detection of drift was; None when there was none."""
    return datetime.fromisoformat(text_of(records[DRIFT], "detected_at")) if DRIFT in records else None


def _condition(name: str, item: Item) -> Condition:
    fields = {key: plain(value) for key, value in item.items() if key in Condition.model_fields}
    return Condition.model_validate(fields | {"type": name.removeprefix(_CONDITION)})
