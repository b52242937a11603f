"""What the ledger's workers read of a cluster: its desired state, whose a resource is, which operations are at it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from functions.core import runtime
from functions.core.cluster import ClusterSpec
from functions.core.errors import NotFound
from functions.core.ledger.items import item_of, model_of, plain, text_of
from functions.core.ledger.leases import Holder, ancestors, holder, outermost
from functions.core.ledger.queries import pages
from functions.core.ledger.tables import BY_EKS_CLUSTER, BY_HYPERPOD_CLUSTER, BY_STACK, BY_TAG, CLUSTERS, LISTED_MARK
from functions.core.ledger.writes import Refused, StaleWorker, apply, names_in, table_name, update, values_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pydantic import JsonValue

    from functions.core.ledger.items import Item
    from functions.core.ledger.models import JsonObject
    from functions.core.ledger.tables import Index


def spec_of(tag: str) -> ClusterSpec:
    """Read the desired state of a cluster; raise NotFound."""
    key = item_of({"cluster_tag": tag, "record": "spec"})
    answer = runtime.client("dynamodb").get_item(TableName=table_name(CLUSTERS), Key=key, ConsistentRead=True)
    if "Item" not in answer:
        raise NotFound(f"There is no cluster with the tag {tag!r}.", remedy="GET /api/clusters lists the tags.")
    return model_of(ClusterSpec, answer["Item"])


def specs() -> list[ClusterSpec]:
    """Read the desired state of every cluster, by one Query for each megabyte of the list of clusters."""
    condition, wanted = f"#{BY_TAG.partition.name} = :listed", "#record = :spec"
    found = pages(
        {
            "TableName": table_name(CLUSTERS),
            "IndexName": BY_TAG.name,
            "KeyConditionExpression": condition,
            "FilterExpression": wanted,
            "ExpressionAttributeNames": names_in(f"{condition} {wanted}"),
            "ExpressionAttributeValues": values_in(f"{condition} {wanted}", {"listed": LISTED_MARK, "spec": "spec"}),
        }
    )
    return [model_of(ClusterSpec, item) for item in found]


def created_at_of(tag: str) -> datetime | None:
    """Say when the cluster that has a tag now was created or imported; None when there is none."""
    key = item_of({"cluster_tag": tag, "record": "spec"})
    answer = runtime.client("dynamodb").get_item(TableName=table_name(CLUSTERS), Key=key, ConsistentRead=True)
    created = text_of(answer.get("Item", {}), "created_at")
    return datetime.fromisoformat(created) if created else None


def change_spec(tag: str, changes: JsonObject, seen_version: int) -> None:
    """Change members of a cluster's desired state, found out by a stage; once it is changed, the same again is none.

    Raise StaleWorker when somebody else has changed the desired state since it was read.
    """
    key, same_version = {"cluster_tag": tag, "record": "spec"}, "#version = :seen"
    marks = index_marks(changes)
    try:
        apply(
            update(
                CLUSTERS, key, assign={**changes, **marks}, add={"version": 1}, where=same_version, seen=seen_version
            )
        )
    except Refused as refused:
        standing = {name: plain(refused.items[0][name]) for name in changes if name in refused.items[0]}
        if standing != {name: value for name, value in changes.items() if value is not None}:
            raise StaleWorker(f"the desired state of {tag} is no longer of version {seen_version}") from refused


def records_of(tag: str) -> list[Item]:
    """Read all records of a cluster."""
    condition = "#cluster_tag = :tag"
    return list(
        pages(
            {
                "TableName": table_name(CLUSTERS),
                "KeyConditionExpression": condition,
                "ExpressionAttributeNames": names_in(condition),
                "ExpressionAttributeValues": values_in(condition, {"tag": tag}),
                "ConsistentRead": True,
            }
        )
    )


def owner_groups_of(tag: str) -> list[str] | None:
    """Name the groups whose members may change a cluster; None when there is no such cluster."""
    key = item_of({"cluster_tag": tag, "record": "spec"})
    answer = runtime.client("dynamodb").get_item(TableName=table_name(CLUSTERS), Key=key, ConsistentRead=True)
    return model_of(ClusterSpec, answer["Item"]).owner_groups if "Item" in answer else None


def holder_of(tag: str, scopes: Iterable[str]) -> Holder | None:
    """Name an operation that stands in the way of one that needs scopes; None when nobody does."""
    leases = {text_of(item, "record"): item for item in records_of(tag)}
    for scope in outermost(scopes):
        own = leases.get(f"lease#{scope}")
        above = [(each, leases.get(f"lease#{each}")) for each in ancestors(scope)]
        taken = [(scope, own)] if own is not None and list(owners_of(own)) else []
        taken += [(each, lease) for each, lease in above if lease is not None and text_of(lease, "owner")]
        for held, lease in taken:
            return holder(held, lease)
    return None


def index_marks(spec: JsonObject) -> Mapping[str, JsonValue]:
    """Give the attributes by which the indexes find a new cluster's `spec`."""
    names = spec.get("names")
    if not isinstance(names, dict):
        return {}
    indexes = (BY_HYPERPOD_CLUSTER, BY_STACK, BY_EKS_CLUSTER)
    found = {index.partition.name: names.get(index.partition.name) for index in indexes}
    return {name: value for name, value in found.items() if value}


def tag_of_hyperpod_cluster(name: str) -> str | None:
    """Name the cluster whose HyperPod cluster has a name, None when it is not ours."""
    return _tag_by(BY_HYPERPOD_CLUSTER, name)


def tag_of_stack(name: str) -> str | None:
    """Name the cluster whose stack has a name, None when it is not ours."""
    return _tag_by(BY_STACK, name)


def known_names(index: Index) -> frozenset[str]:
    """Give every name that an index has of the clusters: it holds keys alone, thousands in the page of one Scan."""
    pages_of_index = runtime.client("dynamodb").get_paginator("scan")
    items = (
        item
        for page in pages_of_index.paginate(TableName=table_name(CLUSTERS), IndexName=index.name)
        for item in page["Items"]
    )
    return frozenset(text_of(item, index.partition.name) for item in items)


def operations_at(tag: str) -> list[str]:
    """Name the unfinished operations on a cluster: those that hold its leases, which no index lags behind."""
    condition = "#cluster_tag = :tag AND begins_with(#record, :lease)"
    leases = pages(
        {
            "TableName": table_name(CLUSTERS),
            "KeyConditionExpression": condition,
            "ExpressionAttributeNames": names_in(condition),
            "ExpressionAttributeValues": values_in(condition, {"tag": tag, "lease": "lease#"}),
            "ConsistentRead": True,
        }
    )
    return sorted({owner for lease in leases for owner in owners_of(lease)})


def owners_of(lease: Item) -> Iterable[str]:
    """Name the operations that hold a scope or one below it."""
    owner = text_of(lease, "owner")
    listed = plain(lease["children"]) if "children" in lease else None
    children = [str(child).rpartition("=")[2] for child in listed] if isinstance(listed, list) else []
    return [owner, *children] if owner else children


def _tag_by(index: Index, name: str) -> str | None:
    condition = f"#{index.partition.name} = :name"
    answer = runtime.client("dynamodb").query(
        TableName=table_name(CLUSTERS),
        IndexName=index.name,
        KeyConditionExpression=condition,
        ExpressionAttributeNames=names_in(condition),
        ExpressionAttributeValues=values_in(condition, {"name": name}),
        Limit=1,
    )
    return text_of(answer["Items"][0], "cluster_tag") if answer["Items"] else None
