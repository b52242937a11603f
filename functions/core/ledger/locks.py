"""Short locks of a cluster or a VPC, held for one turn of a stage: for what AWS gives no idempotency token.

Unlike a lease of `leases`, a lock never outlives its turn by much: who finds it taken asks again, and one that a killed
worker left is taken over once it has expired. The same owner enters again at once, as its repeated turn does.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
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


@dataclass(frozen=True)
class _Lock:
    """What a lock is about, and the partition of the clusters table that holds it."""

    partition: str
    name: str
    subject: str

    @property
    def key(self) -> dict[str, str]:
        return {"cluster_tag": self.partition, "record": f"lock#{self.name}"}


def held(cluster_tag: str, name: str, owner: str, longest: timedelta) -> AbstractContextManager[None]:
    """Hold a lock of a cluster while a block runs, for `longest` at most; raise Busy when another owner holds it."""
    return _held(_Lock(cluster_tag, name, f"cluster {cluster_tag}"), owner, longest)


def held_in_vpc(vpc_id: str, name: str, owner: str, longest: timedelta) -> AbstractContextManager[None]:
    """Hold a lock of a VPC, which clusters may share, in the same way."""
    # No tag holds a `#`: the lock is among no cluster's records and is not forgotten with one.
    return _held(_Lock(f"vpc#{vpc_id}", name, f"the VPC {vpc_id}"), owner, longest)


@contextmanager
def _held(lock: _Lock, owner: str, longest: timedelta) -> Iterator[None]:
    _take(lock, owner, longest)
    try:
        yield
    finally:
        # What the block did counts; a lock that cannot be given back expires.
        with suppress(Refused, Throttled, Unavailable, ClientError, BotoCoreError):
            transact([delete(CLUSTERS, lock.key, where="#owner = :owner", owner=owner)])


def _take(lock: _Lock, owner: str, longest: timedelta) -> None:
    now = runtime.now()
    taken = {"owner": owner, "expires_at": timestamp(now + longest)}
    free = "attribute_not_exists(#owner) OR #owner = :mine OR #expires_at < :now"
    try:
        apply(update(CLUSTERS, lock.key, assign=taken, where=free, mine=owner, now=timestamp(now)))
    except Refused as refused:
        raise Busy(
            f"Another operation works on {lock.name} of {lock.subject}.",
            cause=Cause(layer=Layer.CONTROL_PLANE, resource=text_of(refused.items[0], "owner") or None),
            remedy="Nothing needs to be done: the lock is free again within minutes.",
        ) from refused
