"""The access that people were granted in a cluster: one record a principal, so that drift from it can be told."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from functions.core.cluster import DesiredAccess
from functions.core.ledger.clusters import records_of
from functions.core.ledger.items import item_of, model_of, text_of
from functions.core.ledger.tables import CLUSTERS
from functions.core.ledger.writes import Refused, StaleWorker, check, forget, put, transact

if TYPE_CHECKING:
    from collections.abc import Iterable

    from functions.core.ledger.items import Item

PREFIX: Final = "access#"


def remember(tag: str, access: DesiredAccess) -> None:
    """Keep what a principal has been granted; what was kept before is replaced.

    Raise StaleWorker when the cluster is gone: the next one of its tag is not to find what was granted in this one.
    """
    kept = put(CLUSTERS, item_of(access.model_dump() | _key(tag, access.principal_arn)))
    exists = check(CLUSTERS, {"cluster_tag": tag, "record": "spec"}, where="attribute_exists(#cluster_tag)")
    try:
        transact([kept, exists])
    except Refused as refused:
        raise StaleWorker(f"cluster {tag} is gone") from refused


def forget_access(tag: str, principal_arn: str) -> None:
    """Keep nothing of a principal; doing it twice changes nothing."""
    transact([forget(CLUSTERS, _key(tag, principal_arn))])


def granted_on(tag: str) -> list[DesiredAccess]:
    """Read what was granted in a cluster."""
    return granted_in(records_of(tag))


def granted_in(records: Iterable[Item]) -> list[DesiredAccess]:
    """Find what was granted among a cluster's records."""
    return [model_of(DesiredAccess, item) for item in records if text_of(item, "record").startswith(PREFIX)]


def _key(tag: str, principal_arn: str) -> dict[str, str]:
    # An ARN may be longer than a key.
    return {"cluster_tag": tag, "record": f"{PREFIX}{hashlib.sha256(principal_arn.encode()).hexdigest()[:32]}"}
