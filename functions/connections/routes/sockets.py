"""What the WebSocket gateway asks: may this client connect, what does it say, it is gone.

Source: API Gateway developer guide, "Working with WebSocket APIs". A message is answered by a message to the same
connection, refusals too; nothing that a client sends closes its connection.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, Literal

from aws_lambda_powertools import Logger
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from functions.connections import delivery, records, replay, rules, tickets
from functions.connections.messages import Message, Pong, ProblemMessage, Subscribed, Unsubscribed
from functions.connections.models import COMMANDS, Ping, Subscribe, Unsubscribe
from functions.core.declaration import Scope
from functions.core.errors import InvalidRequest, Problem
from functions.core.ledger.items import instant
from functions.core.problems import PROBLEM_JSON, field_error, problem_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic import JsonValue

    from functions.connections.models import Command

OK: Final[dict[str, JsonValue]] = {"statusCode": 200}
logger = Logger(service="connections")


class Context(BaseModel):
    """What the gateway says of a request; the rest of it is left aside."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    connection_id: str = Field(alias="connectionId")
    event_type: Literal["CONNECT", "MESSAGE", "DISCONNECT"] = Field(alias="eventType")
    request_id: str = Field(alias="requestId")


class SocketEvent(BaseModel):
    """One event of a WebSocket API; the query belongs to connecting, the body to a message."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    request_context: Context = Field(alias="requestContext")
    query: dict[str, str] | None = Field(default=None, alias="queryStringParameters")
    body: str | None = None


def handle(event: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Answer one event of the gateway."""
    asked = SocketEvent.model_validate(event)
    match asked.request_context.event_type:
        case "CONNECT":
            return _connect(asked)
        case "DISCONNECT":
            records.remove(asked.request_context.connection_id)
            return OK
        case "MESSAGE":
            return _message(asked)


def _connect(asked: SocketEvent) -> dict[str, JsonValue]:
    context = asked.request_context
    try:
        caller = tickets.redeem((asked.query or {}).get("ticket", ""))
        caller.require(Scope.READ)
        records.add(context.connection_id, caller)
    except Exception as error:
        problem = _logged(error, context)
        body = problem.body(context.request_id).model_dump_json(exclude_none=True)
        return {"statusCode": problem.status, "headers": {"content-type": PROBLEM_JSON}, "body": body}
    logger.info("connected", extra={"connection_id": context.connection_id, "caller": caller.id})
    return OK


def _message(asked: SocketEvent) -> dict[str, JsonValue]:
    context = asked.request_context
    try:
        for message in _answers(context.connection_id, asked.body or ""):
            if not delivery.post(context.connection_id, delivery.encoded(message)):
                break
    except Exception as error:
        problem = _logged(error, context)
        delivery.post(context.connection_id, delivery.encoded(ProblemMessage(problem=problem.body(context.request_id))))
    return OK


def _answers(connection_id: str, body: str) -> Iterator[Message]:
    command = _command(body)
    if isinstance(command, Ping):
        yield Pong()
        return
    caller = records.caller_of(connection_id)
    caller.require(Scope.READ)
    topic = rules.topic_of(command, caller.id)
    if isinstance(command, Unsubscribe):
        records.unsubscribe(connection_id, topic)
        yield Unsubscribed(topic=topic)
    else:
        yield from _subscribed(connection_id, command, topic, caller.id)


def _subscribed(connection_id: str, command: Subscribe, topic: str, caller: str) -> Iterator[Message]:
    at = instant()
    replay.check(command)
    records.subscribe(connection_id, topic)
    missed = replay.replay(command, caller)
    yield from missed.messages
    yield Subscribed(topic=topic, at=at, complete=missed.complete)


def _command(body: str) -> Command:
    try:
        return COMMANDS.validate_json(body)
    except ValidationError as error:
        found = [field_error({**each, "loc": ["body", *_place(each["loc"])]}) for each in json.loads(error.json())]
        raise InvalidRequest(f"{found[0].field}: {found[0].message}", errors=found) from error


def _place(location: list[JsonValue]) -> list[JsonValue]:
    # The first step names the kind of message, which is no field.
    return location[1:] if location and location[0] in ("subscribe", "unsubscribe", "ping") else location


def _logged(error: Exception, context: Context) -> Problem:
    problem = problem_of(error)
    if problem.status >= 500:
        # The event is not logged: its query holds a ticket.
        logger.error(problem.detail, exc_info=error, extra={"connection_id": context.connection_id})
    return problem
