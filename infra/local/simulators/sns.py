"""SNS, as far as a deployment tells people by it: topics, and messages to them, which are kept for whoever looks.

Source: SNS API reference, CreateTopic and Publish. Nobody subscribes: a message ends here.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar, Final, Protocol

from infra.local.simulators.service import JsonObject, Service, ServiceError, ServiceRequest, refuse_unverified

MAX_MESSAGE_BYTES: Final = 256 * 1024
MAX_SUBJECT: Final = 99
_KEPT: Final = 1000
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,256}")
_SUBJECT: Final = re.compile(r"[!-~][ -~]*")


class TopicsClient(Protocol):
    """A client of what is simulated here: no published type stubs are installed."""

    def create_topic(self, *, Name: str) -> Mapping[str, str]:
        """Make a topic, or find the one of that name."""

    def list_topics(self) -> Mapping[str, list[Mapping[str, str]]]:
        """List the topics."""

    def publish(self, *, TopicArn: str, Message: str, Subject: str = ...) -> Mapping[str, str]:
        """Send a message."""


@dataclass(frozen=True)
class Message:
    """What was said on a topic."""

    message_id: str
    topic_arn: str
    subject: str
    text: str
    at: datetime


@dataclass
class TopicRecords:
    """The topics, and the newest messages to them, oldest first."""

    topics: set[str] = field(default_factory=set)
    messages: list[Message] = field(default_factory=list)


class Sns(Service):
    """The topics of one account and region; `on_message` hears what is said on them."""

    name: ClassVar[str] = "sns"
    validation_code: ClassVar[str] = "InvalidParameter"
    records: TopicRecords

    def __init__(self, now: Callable[[], datetime], account_id: str, region: str) -> None:
        super().__init__(now, account_id, region)
        self.records = TopicRecords()
        self.on_message: Callable[[Message], None] = lambda message: None

    @property
    def operations(self) -> Mapping[str, Callable[[JsonObject, ServiceRequest], JsonObject]]:
        """The operations that are simulated."""
        return {"CreateTopic": self._create_topic, "ListTopics": self._list_topics, "Publish": self._publish}

    def _create_topic(self, params: JsonObject, _request: ServiceRequest) -> JsonObject:
        refuse_unverified(params, {"Name"})
        if not _NAME.fullmatch(params["Name"]):
            raise _invalid("Topic Name")
        arn = f"arn:aws:sns:{self.region}:{self.account_id}:{params['Name']}"
        self.records.topics.add(arn)
        return {"TopicArn": arn}

    def _list_topics(self, params: JsonObject, _request: ServiceRequest) -> JsonObject:
        refuse_unverified(params, ())
        return {"Topics": [{"TopicArn": arn} for arn in sorted(self.records.topics)]}

    def _publish(self, params: JsonObject, _request: ServiceRequest) -> JsonObject:
        refuse_unverified(params, {"TopicArn", "Subject", "Message"})
        arn, subject, text = params.get("TopicArn"), params.get("Subject"), params["Message"]
        if not arn:
            raise _invalid("TopicArn or TargetArn Reason: no value for required parameter")
        if arn not in self.records.topics:
            raise ServiceError("NotFound", "Topic does not exist", 404)
        if subject is not None and (len(subject) > MAX_SUBJECT or not _SUBJECT.fullmatch(subject)):
            raise _invalid("Subject")
        if not text:
            raise _invalid("Empty message")
        if len(text.encode()) > MAX_MESSAGE_BYTES:
            raise _invalid("Message too long")
        return {"MessageId": self._keep(arn, subject or "", text)}

    def _keep(self, arn: str, subject: str, text: str) -> str:
        message = Message(str(uuid.uuid4()), arn, subject, text, self.now())
        self.records.messages = [*self.records.messages, message][-_KEPT:]
        self.on_message(message)
        return message.message_id


def _invalid(what: str) -> ServiceError:
    return ServiceError("InvalidParameter", f"Invalid parameter: {what}")
