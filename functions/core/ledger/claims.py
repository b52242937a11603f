"""Which cluster of the ledger an imported EKS cluster belongs to: one at most, settled where the import begins.

A claim is a record of its own under the EKS cluster's name, written and removed in the transactions that write and
forget the cluster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.core import runtime
from functions.core.errors import AlreadyExists
from functions.core.ledger.items import item_of, plain, text_of
from functions.core.ledger.tables import CLUSTERS
from functions.core.ledger.writes import forget, put, table_name

if TYPE_CHECKING:
    from types_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from functions.core.ledger.items import Item
    from functions.core.ledger.models import JsonObject

CLAIMED_BY: Final = "claimed_by"


def claim(tag: str, spec: JsonObject) -> list[TransactWriteItemTypeDef]:
    """Phrase the claim of a new cluster on its EKS cluster; none for a cluster that makes its own."""
    name = _imported(spec)
    if name is None:
        return []
    return [put(CLUSTERS, item_of({**_key(name), CLAIMED_BY: tag}), where="attribute_not_exists(#cluster_tag)")]


def release(spec: Item) -> list[TransactWriteItemTypeDef]:
    """Phrase the end of the claim of a cluster that is forgotten."""
    name = _imported({key: plain(spec[key]) for key in ("origin", "names") if key in spec})
    return [forget(CLUSTERS, _key(name))] if name else []


def claimant(eks_cluster: str) -> str | None:
    """Name the cluster that an EKS cluster was imported as; None when it was not."""
    key = item_of(_key(eks_cluster))
    answer = runtime.client("dynamodb").get_item(TableName=table_name(CLUSTERS), Key=key, ConsistentRead=True)
    return text_of(answer["Item"], CLAIMED_BY) if "Item" in answer else None


def claimed(eks_cluster: str, tag: str) -> AlreadyExists:
    """Say that an EKS cluster belongs to a cluster of the ledger."""
    return AlreadyExists(
        f"The EKS cluster {eks_cluster} is known as {tag} already.",
        remedy=f"Use the cluster {tag}; to import it under another tag, let it be forgotten first "
        f"(POST /api/clusters/{tag}/forget).",
    )


def _imported(spec: JsonObject) -> str | None:
    names = spec.get("names")
    if spec.get("origin") != "imported" or not isinstance(names, dict):
        return None
    return str(names["eks_cluster"])


def _key(eks_cluster: str) -> dict[str, str]:
    # No tag has a colon.
    return {"cluster_tag": f"eks:{eks_cluster}", "record": "claim"}
