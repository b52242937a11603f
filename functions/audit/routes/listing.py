"""The route that reads who did what. Reads of the API are not audited: only what begins or ends an operation is.

Annotations are evaluated here, because Powertools reads them to validate.
"""

from datetime import UTC, datetime
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query
from pydantic import AwareDatetime

from functions.core import application, ledger
from functions.core.application import PageLimit, PageToken
from functions.core.errors import FieldError, InvalidRequest
from functions.core.ledger import AuditFilter
from functions.core.ledger.models import AuditPage, Channel

Word = Annotated[str | None, Query(min_length=1, max_length=256)]


def list_audit(
    cluster_tag: Word = None,
    actor: Word = None,
    channel: Annotated[Channel | None, Query()] = None,
    since: Annotated[AwareDatetime | None, Query(alias="from", description="The first instant of the list.")] = None,
    until: Annotated[AwareDatetime | None, Query(alias="to", description="The first instant after the list.")] = None,
    limit: PageLimit = None,
    next_token: PageToken = None,
) -> AuditPage:
    """List who did what to which operation of which cluster, newest first; entries outlive their operations."""
    if since is not None and until is not None and since >= until:
        error = FieldError(field="to", message=f"is {until.isoformat()}, not after `from`")
        raise InvalidRequest(f"to: {error.message}", errors=[error], remedy="Send a `to` that is later than `from`.")
    wanted = AuditFilter(cluster_tag, actor, channel, _in_utc(since), _in_utc(until))
    return ledger.list_audit(wanted, caller=application.caller().id, limit=limit, token=next_token)


def _in_utc(moment: datetime | None) -> datetime | None:
    return moment.astimezone(UTC) if moment else None
