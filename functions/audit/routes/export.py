"""The export of audit entries: each day that is over becomes one file, once; a day that was missed is caught up."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from functions.audit.rules import days_due, last_finished_day, lines
from functions.aws.daily_files import DailyFiles
from functions.core import ledger, runtime, settings
from functions.core.ledger.items import COMPANION_RETENTION

if TYPE_CHECKING:
    from datetime import date

_PREFIX: Final = "audit/"
_SUFFIX: Final = ".jsonl"
_CONTENT_TYPE: Final = "application/x-ndjson"


def export() -> list[date]:
    """Write the files of finished days that have none, and say which; raises the clients' own errors.

    What was written before an error stays, and the next run goes on from there.
    """
    files = DailyFiles(settings.required("AUDIT_BUCKET"), _PREFIX, _SUFFIX, _CONTENT_TYPE)
    now = runtime.now()
    # Of the day on which the retention begins some entries have gone.
    written = files.days_since((now - COMPANION_RETENTION).date() + timedelta(days=1))
    first = min(written) if written else ledger.first_audited_day()
    if first is None:
        return []
    return [
        day for day in days_due(first, last_finished_day(now), written) if files.write(day, lines(ledger.audit_of(day)))
    ]
