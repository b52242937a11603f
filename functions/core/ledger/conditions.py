"""Conditions of a cluster that follow from bus events: revised one at a time, never by an older event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.core import runtime
from functions.core.errors import Throttled
from functions.core.ledger.items import item_of, model_of
from functions.core.ledger.tables import CLUSTERS, listing_marks
from functions.core.ledger.writes import Refused, check, put, table_name, transact
from functions.core.observations import ObservedCondition

if TYPE_CHECKING:
    from collections.abc import Callable

    from types_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    Revision = Callable[[ObservedCondition | None], ObservedCondition | None]

_ROUNDS: Final = 10
_CONDITION: Final = 0


def revise(cluster_tag: str, kind: str, revision: Revision) -> bool:
    """Write what `revision` makes of a condition as it stands, and say whether it made anything of it.

    `revision` gives None where the event it tells of changes nothing. A cluster that is gone stays gone. Raise
    Throttled when others change the condition all the time.
    """
    for _ in range(_ROUNDS):
        standing = _read(cluster_tag, kind)
        revised = revision(standing)
        if revised is None:
            return False
        try:
            transact(_writes(cluster_tag, kind, standing, revised))
        except Refused as refused:
            if _CONDITION not in refused.items:
                return False
        else:
            return True
    raise Throttled(f"The condition {kind} of cluster {cluster_tag} is changed by others all the time.")


def _read(cluster_tag: str, kind: str) -> ObservedCondition | None:
    answer = runtime.client("dynamodb").get_item(
        TableName=table_name(CLUSTERS), Key=item_of(_key(cluster_tag, kind)), ConsistentRead=True
    )
    return model_of(ObservedCondition, answer["Item"]) if "Item" in answer else None


def _writes(
    cluster_tag: str, kind: str, standing: ObservedCondition | None, revised: ObservedCondition
) -> list[TransactWriteItemTypeDef]:
    version = standing.version if standing else 0
    content = revised.model_copy(update={"version": version + 1}).model_dump()
    content |= listing_marks(cluster_tag, f"condition#{kind}")
    where = "#version = :seen" if standing else "attribute_not_exists(#cluster_tag)"
    written = put(CLUSTERS, item_of(content | _key(cluster_tag, kind)), where=where, seen=version)
    exists = check(CLUSTERS, {"cluster_tag": cluster_tag, "record": "spec"}, where="attribute_exists(#cluster_tag)")
    return [written, exists]


def _key(cluster_tag: str, kind: str) -> dict[str, str]:
    return {"cluster_tag": cluster_tag, "record": f"condition#{kind}"}
