"""What a look at an imported cluster leaves in the ledger: the record of what was found, conditions, desired state.

All of it is written at once and conditionally on the version of the desired state that was read, so that two looks, or
a look and a change, cannot mix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.core import runtime
from functions.core.errors import Busy, Cause, Layer
from functions.core.ledger.clusters import index_marks
from functions.core.ledger.items import item_of, plain
from functions.core.ledger.tables import CLUSTERS, listing_marks
from functions.core.ledger.writes import Refused, put, table_name, transact, update

if TYPE_CHECKING:
    from collections.abc import Mapping

    from functions.core.ledger.models import JsonObject

DETECTED: Final = "detected"


def detected_of(tag: str) -> JsonObject | None:
    """Read what was found of a cluster; None when nobody has looked yet."""
    key = item_of({"cluster_tag": tag, "record": DETECTED})
    answer = runtime.client("dynamodb").get_item(TableName=table_name(CLUSTERS), Key=key, ConsistentRead=True)
    if "Item" not in answer:
        return None
    return {name: plain(value) for name, value in answer["Item"].items() if name not in key}


def record_detected(
    tag: str,
    detected: JsonObject,
    conditions: Mapping[str, JsonObject],
    changes: JsonObject,
    seen_version: int,
) -> None:
    """Write what was found, the conditions by type, and the changed members of the desired state.

    Raises Busy when the desired state was changed since it was read: the look is to be taken again.
    """
    key = {"cluster_tag": tag, "record": "spec"}
    counted = {"version": 1} if changes else {}
    spec = update(
        CLUSTERS,
        key,
        assign={**changes, **index_marks(changes)},
        add=counted,
        # A change of nothing is still a condition: the cluster has to be there, as it was read.
        once={"version": seen_version} if not changes else {},
        where="#version = :seen",
        seen=seen_version,
    )
    judged = {f"condition#{kind}": content for kind, content in conditions.items()}
    listed = {name: {**content, **listing_marks(tag, name)} for name, content in judged.items()}
    records: dict[str, JsonObject] = {DETECTED: detected, **listed}
    written = [put(CLUSTERS, item_of({**content, **key, "record": name})) for name, content in records.items()]
    try:
        transact([spec, *written])
    except Refused as refused:
        raise Busy(
            f"The desired state of cluster {tag} was changed while the cluster was looked at.",
            cause=Cause(layer=Layer.CONTROL_PLANE, service="dynamodb", code="VERSION", resource=tag),
            remedy="Nothing needs to be done: the cluster is looked at again.",
        ) from refused
