"""What no change tells and somebody has to look for: training plans that end, operations that stand still."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from functions.aws import training_plans
from functions.core import ledger, settings
from functions.core.errors import NotFound
from functions.core.ledger.clusters import specs
from functions.core.ledger.items import instant
from functions.notifications.models import PlanUse
from functions.notifications.routes.telling import tell
from functions.notifications.rules import plans, progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from functions.notifications.models import Notice


def look() -> list[str]:
    """Tell what is found and was not told yet, and give the keys of that.

    What cannot be looked at does not keep the rest from being told; it is raised after that, together.
    """
    told, faults = list[str](), list[Exception]()
    for find in _finders():
        try:
            notice = find()
            if notice is not None and tell(notice):
                told.append(notice.key)
        except (ClientError, BotoCoreError) as error:
            faults.append(error)
    if faults:
        raise ExceptionGroup(f"{len(faults)} could not be looked at or told", faults)
    return told


def _finders() -> list[Callable[[], Notice | None]]:
    used = plans.groups_by_plan(specs())
    quiet = ledger.untouched_since(instant() - progress.PATIENCE)
    return [
        *(partial(_plan, arn, groups) for arn, groups in sorted(used.items())),
        *(partial(_operation, operation_id) for operation_id in quiet),
    ]


def _plan(arn: str, groups: tuple[str, ...]) -> Notice | None:
    found = training_plans.describe(arn)
    if found is None or found.ends_at is None:
        return None
    return plans.ending(PlanUse(arn, found.name, found.ends_at, groups), instant(), settings.console_url())


def _operation(operation_id: str) -> Notice | None:
    try:
        operation = ledger.get(operation_id)
    except NotFound:  # the index lags behind the table
        return None
    return progress.stuck(operation, instant(), settings.console_url())
