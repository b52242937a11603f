"""Who did what, of all operations: lists newest first, page by page, and whole days for the export."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Final

from functions.core import runtime
from functions.core.ledger.identifiers import first_identifier, preceding
from functions.core.ledger.items import COMPANION_RETENTION, epoch, instant, model_of, text_of, timestamp
from functions.core.ledger.listing import FILTERED_READ, MAX_QUERIES, months_before
from functions.core.ledger.models import AuditEntry, AuditPage, Channel
from functions.core.ledger.paging import page_limit, seal, unseal
from functions.core.ledger.queries import pages
from functions.core.ledger.tables import BY_AUDIT_MONTH, OPERATIONS
from functions.core.ledger.writes import names_in, table_name, values_in

if TYPE_CHECKING:
    from types_boto3_dynamodb.type_defs import QueryInputTypeDef

    from functions.core.ledger.items import Item

# All characters of an identifier sort before this one.
_LAST: Final = "Z" * 26


@dataclass(frozen=True)
class AuditFilter:
    """What a list is narrowed to; all are ANDed. `since` is the first instant of it, `until` the first one after it."""

    cluster_tag: str | None = None
    actor: str | None = None
    channel: Channel | None = None
    since: datetime | None = None
    until: datetime | None = None

    @property
    def conditions(self) -> list[str]:
        """Phrase what items are left out by after they were read."""
        wanted = {
            "#cluster_tag = :cluster_tag": self.cluster_tag,
            "#actor.#id = :actor": self.actor,
            "#actor.#channel = :channel": self.channel,
        }
        return [condition for condition, value in wanted.items() if value is not None]


@dataclass(frozen=True)
class _Position:
    """Where a list goes on: in a month, with this entry or an older one."""

    month: str
    newest: str

    @property
    def next_month(self) -> _Position:
        return _Position(months_before(self.month, 1), _LAST)


def list_audit(wanted: AuditFilter, *, caller: str, limit: int | None, token: str | None) -> AuditPage:
    """Read one page; raise InvalidRequest or InvalidPageToken.

    A page is one Query while a month lasts, and never more than ten: what matches little can end a page early, still
    with a token.
    """
    size = page_limit(limit)
    asked = {name: str(value) for name, value in asdict(wanted).items() if value is not None}
    query: dict[str, str | None] = {"list": "audit", **asked}
    start = _Position(*unseal(token, query, caller).split("#")) if token else _start(wanted)
    items, position = _read(wanted, size, start)
    return AuditPage(
        entries=[model_of(AuditEntry, item) for item in items],
        next_token=seal(f"{position.month}#{position.newest}", query, caller) if position else None,
    )


def audit_of(day: date) -> list[AuditEntry]:
    """Read the entries of a day in UTC, oldest first; their order and content never change once the day is over."""
    start = datetime(day.year, day.month, day.day, tzinfo=UTC)
    until = preceding(first_identifier(start + timedelta(days=1)))
    request = _request(timestamp(start)[:7], first_identifier(start), until)
    return [model_of(AuditEntry, item) for item in pages(request)]


def first_audited_day() -> date | None:
    """Give the day of the oldest entry that is kept, None without any."""
    month, this_month = timestamp(instant() - COMPANION_RETENTION)[:7], timestamp(instant())[:7]
    while month <= this_month:
        request = _request(month, first_identifier(instant() - COMPANION_RETENTION), _LAST)
        request["Limit"] = 1
        answer = runtime.client("dynamodb").query(**request)
        if answer["Items"]:
            return model_of(AuditEntry, answer["Items"][0]).at.date()
        month = months_before(month, -1)
    return None


def _start(wanted: AuditFilter) -> _Position:
    now = instant()
    until = min(wanted.until, now + timedelta(days=1)) if wanted.until else now + timedelta(days=1)
    return _Position(timestamp(until)[:7], preceding(first_identifier(until)))


def _read(wanted: AuditFilter, size: int, position: _Position) -> tuple[list[Item], _Position | None]:
    found: list[Item] = []
    oldest = max(filter(None, [wanted.since, instant() - COMPANION_RETENTION]))
    for _ in range(MAX_QUERIES):
        if position.month < timestamp(oldest)[:7]:
            return found, None
        answer = runtime.client("dynamodb").query(**_narrowed(wanted, position, oldest, size + 1 - len(found)))
        found += answer["Items"]
        if len(found) > size:
            return found[:size], _Position(position.month, text_of(found[size], "entry_id"))
        if "LastEvaluatedKey" in answer:
            position = _Position(position.month, preceding(text_of(answer["LastEvaluatedKey"], "entry_id")))
        else:
            position = position.next_month
    return found, position


def _narrowed(wanted: AuditFilter, position: _Position, oldest: datetime, missing: int) -> QueryInputTypeDef:
    request = _request(position.month, first_identifier(oldest), position.newest)
    # TTL deletes days late; an entry is gone when our clock says so.
    narrowing = " AND ".join(["#expires_at > :now", *wanted.conditions])
    values = {**asdict(wanted), "now": epoch(instant())}
    return {
        **request,
        "FilterExpression": narrowing,
        "ExpressionAttributeNames": {**request["ExpressionAttributeNames"], **names_in(narrowing)},
        "ExpressionAttributeValues": {**request["ExpressionAttributeValues"], **values_in(narrowing, values)},
        "ScanIndexForward": False,
        "Limit": max(missing, FILTERED_READ) if wanted.conditions else missing,
    }


def _request(month: str, oldest: str, newest: str) -> QueryInputTypeDef:
    condition = "#audit_month = :month AND #entry_id BETWEEN :oldest AND :newest"
    values = {"month": month, "oldest": min(oldest, newest), "newest": newest}
    return {
        "TableName": table_name(OPERATIONS),
        "IndexName": BY_AUDIT_MONTH.name,
        "KeyConditionExpression": condition,
        "ExpressionAttributeNames": names_in(condition),
        "ExpressionAttributeValues": values_in(condition, values),
    }
