"""What the ledger has of a cluster: two Queries, and a third for the operation that failed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from functions.core.cluster import ClusterSpec
from functions.core.errors import NotFound
from functions.core.ledger import queries
from functions.core.ledger.clusters import owners_of, records_of
from functions.core.ledger.items import model_of, text_of
from functions.core.ledger.listing import newest_operations
from functions.diagnostics.models.facts import LedgerSeen, Recorded
from functions.diagnostics.rules.history import made_good_by, newest_failure

if TYPE_CHECKING:
    from functions.core.ledger.items import Item
    from functions.core.ledger.models import Operation

_CONDITION: Final = "condition#"
_LEASE: Final = "lease#"


def read(tag: str) -> tuple[ClusterSpec, LedgerSeen]:
    """Read the desired state of a cluster and its latest operations; raise NotFound."""
    records = {text_of(item, "record"): item for item in records_of(tag)}
    if "spec" not in records:
        raise NotFound(f"There is no cluster with the tag {tag!r}.", remedy="GET /api/clusters lists the tags.")
    operations, _ = newest_operations(tag, None)
    failed = newest_failure(operations)
    seen = LedgerSeen(
        newest=operations[0] if operations else None,
        failed=_whole(failed) if failed else None,
        busy=tuple(
            sorted({owner for name, item in records.items() if name.startswith(_LEASE) for owner in owners_of(item)})
        ),
        conditions={
            name.removeprefix(_CONDITION): _recorded(item)
            for name, item in records.items()
            if name.startswith(_CONDITION)
        },
    )
    good = made_good_by(seen.failed, operations, seen) if seen.failed else None
    return model_of(ClusterSpec, records["spec"]), replace(seen, made_good_by=good)


def _recorded(item: Item) -> Recorded:
    return Recorded(text_of(item, "status"), text_of(item, "message"))


def _whole(operation: Operation) -> Operation:
    """Read an operation with its stages; without them when it has expired meanwhile."""
    try:
        return queries.get(operation.operation_id)
    except NotFound:
        return operation
