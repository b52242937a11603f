"""SNS topics: messages to whoever listens to one."""

from __future__ import annotations

from functions.core import runtime


def publish(arn: str, subject: str, text: str) -> None:
    """Send a message. Raises the client's own errors."""
    runtime.client("sns").publish(TopicArn=arn, Subject=subject, Message=text)
