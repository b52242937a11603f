"""Previews: what a request would change, in order and with reasons, and the digest by which it is confirmed.

A digest says that the same request was previewed by the same caller, at a moment, over the same state: it holds what
would change and the versions of what was read for it. Prices, counts of free addresses and the time are not in it.
"""

from __future__ import annotations

import hashlib
import json
from datetime import date, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ConfigDict

from functions.core.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pydantic import JsonValue

    from functions.core.ledger.models import JsonObject

_UNDIGESTED: Final = frozenset({"cost"})
# A person reads a preview; what is of one kind is named as long as that helps.
_NAMED: Final = 20


class Action(StrEnum):
    """What becomes of a resource."""

    CREATE = "create"
    CHANGE = "change"
    DELETE = "delete"
    KEEP = "keep"
    ADOPT = "adopt"


class Record(BaseModel):
    """Base of what a preview consists of."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Cost(Record):
    """What something costs an hour, by a price list of a date; a negative one is saved."""

    currency: str = "USD"
    per_hour: float
    as_of: date


class Change(Record):
    """One change that a request would make, or one thing that it leaves alone though one may fear for it.

    `resource` says in plain words what kind of thing it is, `stage` which stage of the operation does it.
    """

    action: Action
    resource: str
    name: str
    reason: str
    stage: str | None = None
    irreversible: bool = False
    cost: Cost | None = None


class Preview(Record):
    """What a request would change, in order; `unpriced` names what costs something that no price list here knows.

    `digest` confirms this very preview until `expires_at`; there is none when a finding refuses the request.
    """

    kind: str
    cluster_tag: str
    changes: list[Change]
    cost: Cost | None = None
    unpriced: list[str] = []
    digest: str | None = None
    expires_at: datetime | None = None


class Previewed(Record):
    """The answer of a dry run: what was found out about the request, and what it would change."""

    findings: list[Finding]
    preview: Preview


def bounded(changes: Sequence[Change]) -> list[Change]:
    """Name the first of many changes of one kind, and say of the others how many there are.

    What the others are has to be in `Intent.read`, or a digest would not know them.
    """
    more = len(changes) - _NAMED
    if more <= 0:
        return [*changes]
    return [*changes[:_NAMED], changes[_NAMED].model_copy(update={"name": f"and {more} more"})]


def total(changes: Iterable[Change]) -> Cost | None:
    """Add the costs of changes up, as of the oldest price among them; None without any."""
    costs = [change.cost for change in changes if change.cost]
    if not costs:
        return None
    return Cost(
        currency=costs[0].currency,
        per_hour=round(sum(cost.per_hour for cost in costs), 4),
        as_of=min(cost.as_of for cost in costs),
    )


def state_of(
    kind: str, cluster_tag: str, sent: JsonObject, changes: Sequence[Change], read: Mapping[str, JsonValue]
) -> str:
    """Hash what a confirmation has to be about: the request, what it changes, and the versions of what was read."""
    content = {
        "kind": kind,
        "cluster_tag": cluster_tag,
        "sent": sent,
        "changes": [change.model_dump(mode="json", exclude=set(_UNDIGESTED)) for change in changes],
        "read": dict(read),
    }
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()[:32]
