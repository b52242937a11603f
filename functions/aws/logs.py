"""The last lines of a log stream in CloudWatch Logs, without the secrets that a script may have written there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from functions.core import runtime
from functions.core.failures import code_of
from functions.core.redaction import redacted

if TYPE_CHECKING:
    from functions.core.runtime import Patience


def groups(prefix: str, patience: Patience | None = None) -> list[str]:
    """Name the log groups whose names begin so, fifty at most. Raises the client's own errors."""
    found = runtime.client("logs", patience).describe_log_groups(logGroupNamePrefix=prefix).get("logGroups", [])
    return [group["logGroupName"] for group in found if "logGroupName" in group]


def tail(group: str, stream: str, lines: int) -> list[str] | None:
    """Read the last lines of a stream; None when it cannot be read: whoever asks has something to say without it."""
    try:
        return last_lines(group, stream, lines)
    except (ClientError, BotoCoreError):
        return None


def last_lines(group: str, stream: str, lines: int) -> list[str] | None:
    """Read the last lines of a stream; None when there is no such stream. Raises the client's own errors."""
    try:
        answer = runtime.client("logs").get_log_events(
            logGroupName=group, logStreamName=stream, limit=lines, startFromHead=False
        )
    except ClientError as error:
        if code_of(error) == "ResourceNotFoundException":
            return None
        raise
    return [redacted(event["message"]) for event in answer.get("events", []) if "message" in event]
