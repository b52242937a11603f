"""Short locks of a cluster, held for one turn of a stage: for what AWS gives no idempotency token.

Unlike a lease of `leases`, a lock never outlives its turn by much: who finds it taken asks again, and one that a killed
worker left is taken over once it has expired. The same owner enters again at once, as its repeated turn does.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from functions.core import runtime
from functions.core.errors import Busy, Cause, Layer, Throttled, Unavailable
from functions.core.ledger.items import text_of, timestamp
from functions.core.ledger.tables import CLUSTERS
from functions.core.ledger.writes import Refused, apply, delete, transact, update

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import timedelta


@contextmanager
def held(cluster_tag: str, name: str, owner: str, longest: timedelta) -> Iterator[None]:
    """Hold a lock while a block runs, for `longest` at most; raise Busy when another owner holds it."""
    _take(cluster_tag, name, owner, longest)
    try:
        yield
    finally:
        # What the block did counts; a lock that cannot be given back expires.
        with suppress(Refused, Throttled, Unavailable, ClientError, BotoCoreError):
            _give_back(cluster_tag, name, owner)


def _take(cluster_tag: str, name: str, owner: str, longest: timedelta) -> None:
    now = runtime.now()
    lock = {"owner": owner, "expires_at": timestamp(now + longest)}
    free = "attribute_not_exists(#owner) OR #owner = :mine OR #expires_at < :now"
    try:
        apply(update(CLUSTERS, _key(cluster_tag, name), assign=lock, where=free, mine=owner, now=timestamp(now)))
    except Refused as refused:
        raise Busy(
            f"Another operation works on {name} of cluster {cluster_tag}.",
            cause=Cause(layer=Layer.CONTROL_PLANE, resource=text_of(refused.items[0], "owner") or None),
            remedy="Nothing needs to be done: the lock is free again within minutes.",
        ) from refused


def _give_back(cluster_tag: str, name: str, owner: str) -> None:
    transact([delete(CLUSTERS, _key(cluster_tag, name), where="#owner = :owner", owner=owner)])


def _key(cluster_tag: str, name: str) -> dict[str, str]:
    return {"cluster_tag": cluster_tag, "record": f"lock#{name}"}
