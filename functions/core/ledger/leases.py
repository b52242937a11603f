"""The scope tree of a cluster: who may change what at the same time.

cluster ─┬─ foundation, dependencies, storage, settings, access, feature:<name>, workload:<name>
         └─ hyperpod ── group:<name>

A taken scope is a `lease#<scope>` record with an owner. Each of its ancestors lists it in `children` as
`<scope>=<operation id>`: an ancestor can be taken only while that list is empty, a scope only while no ancestor has an
owner.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from functions.core.ledger.identifiers import new_identifier
from functions.core.ledger.items import plain, text_of, timestamp
from functions.core.ledger.tables import CLUSTERS, listing_marks
from functions.core.ledger.writes import Refused, StaleWorker, delete, transact, update

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from types_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from functions.core.ledger.items import Item
    from functions.core.ledger.models import Operation

GRACE: Final = timedelta(minutes=15)
LEASED_MARK: Final = "yes"
_ROOT: Final = "cluster"
_PARENTS: Final = dict.fromkeys(("foundation", "dependencies", "storage", "settings", "access", "hyperpod"), _ROOT)
_NAMED_PARENTS: Final = {"feature": _ROOT, "workload": _ROOT, "group": "hyperpod"}
_PREFIX: Final = "lease#"


@dataclass(frozen=True)
class Claim:
    """One write on the record of one scope, and whether that scope itself is taken by it."""

    scope: str
    taken: bool
    write: TransactWriteItemTypeDef


@dataclass(frozen=True)
class Holder:
    """The operation that stands in the way, and the scope it holds."""

    operation_id: str
    scope: str


def ancestors(scope: str) -> tuple[str, ...]:
    """Name the scopes above one, nearest first; raise ValueError for a scope outside the tree."""
    if scope == _ROOT:
        return ()
    kind, separator, name = scope.partition(":")
    parent = (_NAMED_PARENTS if separator else _PARENTS).get(kind)
    if parent is None or bool(separator) != bool(name):
        raise ValueError(f"{scope!r} is not a lease scope")
    return (parent, *ancestors(parent))


def outermost(scopes: Iterable[str]) -> list[str]:
    """Reduce scopes to those that no other one covers, in order; raise ValueError for an unknown one."""
    wanted = sorted(set(scopes))
    return [scope for scope in wanted if not set(ancestors(scope)) & set(wanted)]


def acquire(cluster_tag: str, scopes: Iterable[str], owner: str, turn_deadline: datetime) -> list[Claim]:
    """Phrase the writes that take scopes for an operation, one per touched record."""
    taken = outermost(scopes)
    return [_take(cluster_tag, scope, owner, turn_deadline) for scope in taken] + [
        _enlist(cluster_tag, above, entries) for above, entries in _entries(taken, owner).items()
    ]


def _take(cluster_tag: str, scope: str, owner: str, turn_deadline: datetime) -> Claim:
    key = lease_key(cluster_tag, scope)
    lease = {**_term(turn_deadline), "owner": owner, "leased": LEASED_MARK, **listing_marks(cluster_tag, key["record"])}
    free = "attribute_not_exists(#owner) AND attribute_not_exists(#children)"
    return Claim(scope, True, update(CLUSTERS, key, assign=lease, where=free))


def _term(turn_deadline: datetime) -> dict[str, str]:
    # The token changes with each renewal, so the sweeper frees only the very lease it saw expired.
    return {"token": new_identifier(), "expires_at": timestamp(turn_deadline + GRACE)}


def _enlist(cluster_tag: str, scope: str, entries: set[str]) -> Claim:
    key = lease_key(cluster_tag, scope)
    return Claim(scope, False, update(CLUSTERS, key, add={"children": entries}, where="attribute_not_exists(#owner)"))


def _entries(taken: Sequence[str], owner: str) -> dict[str, set[str]]:
    entries: dict[str, set[str]] = {}
    for scope in taken:
        for above in ancestors(scope):
            entries.setdefault(above, set()).add(f"{scope}={owner}")
    return entries


def release(cluster_tag: str, scopes: Iterable[str], owner: str) -> list[Claim]:
    """Phrase the writes that give scopes back, refused for a scope that the operation does not own."""
    taken = outermost(scopes)
    return [_give_back(cluster_tag, scope, owner) for scope in taken] + _delist(cluster_tag, taken, owner)


def _give_back(cluster_tag: str, scope: str, owner: str) -> Claim:
    # An owned scope has no children, so nothing is lost with the record.
    key = lease_key(cluster_tag, scope)
    return Claim(scope, True, delete(CLUSTERS, key, where="#owner = :owner", owner=owner))


def _delist(cluster_tag: str, taken: Sequence[str], owner: str) -> list[Claim]:
    return [
        Claim(above, False, update(CLUSTERS, lease_key(cluster_tag, above), discard={"children": entries}))
        for above, entries in _entries(taken, owner).items()
    ]


def free_expired(lease: Item) -> None:
    """Free one lease exactly as it was read; raise Refused when it was renewed or released since."""
    cluster_tag, scope, owner = text_of(lease, "cluster_tag"), scope_of(lease), text_of(lease, "owner")
    unchanged = "#owner = :owner AND #token = :token"
    token = text_of(lease, "token")
    freed = delete(CLUSTERS, lease_key(cluster_tag, scope), where=unchanged, owner=owner, token=token)
    transact([freed, *(claim.write for claim in _delist(cluster_tag, [scope], owner))])


def renew(operation: Operation, turn_deadline: datetime) -> None:
    """Extend an operation's leases to 15 minutes past its turn's deadline; raise StaleWorker when one is lost."""
    owned, owner = "#owner = :owner", operation.operation_id
    writes = [
        update(CLUSTERS, lease_key(operation.cluster_tag, scope), assign=_term(turn_deadline), where=owned, owner=owner)
        for scope in outermost(operation.scopes)
    ]
    if not writes:
        return
    try:
        transact(writes)
    except Refused as refused:
        raise StaleWorker(f"operation {owner} no longer holds its leases on {operation.cluster_tag}") from refused


def holder(scope: str, lease: Item) -> Holder:
    """Name who stands in the way, from the lease record that refused a claim."""
    if owner := text_of(lease, "owner"):
        return Holder(owner, scope)
    listed = plain(lease["children"]) if "children" in lease else None
    child, _, owner = str(listed[0] if isinstance(listed, list) and listed else "").rpartition("=")
    return Holder(owner, child or scope)


def scope_of(lease: Item) -> str:
    """Read the scope from a lease's key."""
    return text_of(lease, "record").removeprefix(_PREFIX)


def lease_key(cluster_tag: str, scope: str) -> Mapping[str, str]:
    """Give the key of a scope's lease record."""
    return {"cluster_tag": cluster_tag, "record": f"{_PREFIX}{scope}"}
