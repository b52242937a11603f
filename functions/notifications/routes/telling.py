"""A notice on its way to the topic: told at least once, and again only when its worker died right after telling.

What was told is noted after it was told: the other way round, a worker that dies between would leave it untold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_lambda_powertools import Logger

from functions.aws import topics
from functions.core import settings
from functions.notifications import records

if TYPE_CHECKING:
    from functions.notifications.models import Notice

logger = Logger(service="notifications")


def tell(notice: Notice) -> bool:
    """Tell a notice unless it was told lately, and say whether it was told. Raises the clients' own errors."""
    if records.is_told(notice):
        return False
    topics.publish(settings.required("NOTIFICATIONS_TOPIC_ARN"), notice.subject, notice.text)
    records.note(notice)
    logger.info("told", extra={"notice": notice.key})
    return True
