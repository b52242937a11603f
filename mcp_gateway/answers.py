"""From the API's answer to a tool's result: small, with the next call in it, and an error told as one."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from mcp_types import CallToolResult, TextContent

from functions.core.documents import items_of
from functions.core.errors import DeploymentFault, Unavailable
from functions.core.headers import REPLAYED_HEADER
from mcp_gateway.compact import LARGEST_ANSWER, cut_members, fitting, size_of, without_blanks, written
from mcp_gateway.following import AGAIN, WORKING, after_operation, after_preview, after_refusal, again, look
from mcp_gateway.tools import STATUS_TOOL, TOKEN_ARGUMENT, UNTOLD
from mcp_gateway.wording import Speech

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from functions.core.errors import Problem
    from functions.core.web import WebAnswer
    from mcp_gateway.requests import ApiRequest
    from mcp_gateway.tools import GatewayTool

    Arguments = Mapping[str, JsonValue]
    Object = dict[str, JsonValue]

_JSON: Final = "application/json"
_NEXT: Final = "next"
_NOTICE: Final = "notice"
# Cut, these would be worth nothing.
_WHOLE: Final = (_NEXT, TOKEN_ARGUMENT)
_MORE: Final = "There are more rows than these."
# Of an operation in a list it is worth knowing whose it is.
_OF_NO_USE_IN_ROWS: Final = frozenset(UNTOLD) - {"actor"}
_OF_A_STAGE: Final = ("name", "status", "message", "reason", "error")
_OF_A_STANDING_STAGE: Final = ("name", "status")
_STANDING: Final = ("SUCCEEDED", "SKIPPED")
_BEGUN: Final = (
    "operation_id",
    "kind",
    "cluster_tag",
    "status",
    "reason",
    "retry_of",
    "retry_after_seconds",
    "findings",
)


def result_of(
    tool: GatewayTool, arguments: Arguments, request: ApiRequest, answer: WebAnswer, speech: Speech | None = None
) -> CallToolResult:
    """Make a tool's result of what the API answered; `speech` is that of a call that was made in other words."""
    speech = speech or Speech(arguments)
    body = _read(answer)
    if answer.status >= HTTPStatus.BAD_REQUEST:
        return _refused(tool, tool.name, arguments, body, speech)
    if answer.status == HTTPStatus.ACCEPTED:
        return _told(_begun(tool, body, replayed=REPLAYED_HEADER in answer.headers), speech)
    if tool.rows:
        told = _rows(tool, arguments, request, speech.worded(body))
        return _fitted(speech.followed(told), kept=tool.rows)
    if "stages" in body:
        return _told(_operation(body), speech)
    return _told(_with_next(body, after_preview(tool, arguments, body) if tool.begins else None), speech)


def refusal(problem: Problem, tool: GatewayTool | None, name: str, arguments: Arguments) -> CallToolResult:
    """Make a tool's result of a problem that the gateway itself has found with a call, by the name it was made by."""
    return _refused(tool, name, arguments, _body_of(problem), Speech(arguments))


def _read(answer: WebAnswer) -> Object:
    if "json" in answer.headers.get("content-type", _JSON):
        body = json.loads(answer.body or b"{}")
    else:
        body = {"text": answer.body.decode(errors="replace")}
    if answer.status < HTTPStatus.BAD_REQUEST or "code" in body:
        return dict(body)
    return _body_of(_of_the_door(answer.status, str(body.get("message") or "nothing more")))


def _of_the_door(status: int, said: str) -> Problem:
    """Tell what stands before the API, and not the API, has answered: what is no matter of load does not pass."""
    detail = f"The gateway's own door answered {status}: {said}."
    if status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return Unavailable(detail, remedy=AGAIN)
    return DeploymentFault(detail, remedy="Tell whoever runs this deployment: no other call gets past it either.")


def _body_of(problem: Problem) -> Object:
    return dict(json.loads(problem.body().model_dump_json(exclude_none=True)))


def _begun(tool: GatewayTool, body: Object, *, replayed: bool) -> Object:
    seconds = sum(each for stage in items_of(body, "stages") if isinstance(each := stage.get("expected_seconds"), int))
    told: Object = {name: body[name] for name in _BEGUN if name in body}
    told |= {"expected_seconds": seconds, "status_tool": STATUS_TOOL, _NEXT: look(body["operation_id"])}
    if replayed:
        told["replayed"] = True
        told[_NOTICE] = (
            f"The same call began this operation before. To begin another one, call {tool.name} with a new "
            "idempotency_key."
        )
    return told


def _operation(body: Object) -> Object:
    """Tell how far an operation is: stages that wait for their turn are counted, and those that stand named only."""
    stages = items_of(body, "stages")
    told: Object = {name: value for name, value in body.items() if name not in UNTOLD}
    started = [each for each in stages if each.get("status") != "PENDING"]
    told["stages"] = [_stage(each) for each in started]
    told["pending_stages"] = len(stages) - len(started)
    told["phases"] = {str(each["name"]): each["status"] for each in items_of(body, "phases")}
    return _with_next(told, after_operation(body))


def _stage(stage: Object) -> Object:
    told = _OF_A_STANDING_STAGE if stage.get("status") in _STANDING else _OF_A_STAGE
    return {name: stage[name] for name in told if name in stage}


def _with_next(told: Object, following: Object | None) -> Object:
    return {**told, _NEXT: following} if following else told


def _rows(tool: GatewayTool, arguments: Arguments, request: ApiRequest, body: Object) -> Object:
    """Give as many rows as fit, and the token of those that follow."""
    assert tool.rows is not None
    found = body.get(tool.rows)
    rows = [_row(each) for each in found[request.position.skip :]] if isinstance(found, list) else []
    beside: Object = {name: value for name, value in body.items() if name not in (tool.rows, TOKEN_ARGUMENT)}
    around = cut_members(beside, LARGEST_ANSWER // 2)
    tokens = (str(body.get(TOKEN_ARGUMENT) or ""), request.position.after(len(rows)))
    longest = size_of({**around, **_continued(tool, arguments, max(tokens, key=len))})
    shown = fitting(rows, LARGEST_ANSWER - longest - size_of({tool.rows: []}))
    told: Object = {tool.rows: rows[:shown], **around}
    following = request.position.after(shown) if shown < len(rows) else body.get(TOKEN_ARGUMENT)
    if following:
        return told | _continued(tool, arguments, str(following))
    return _with_next(told, _after_row(rows))


def _continued(tool: GatewayTool, arguments: Arguments, token: str) -> Object:
    return {TOKEN_ARGUMENT: token, _NOTICE: _MORE, _NEXT: again(tool.name, arguments, **{TOKEN_ARGUMENT: token})}


def _after_row(rows: list[JsonValue]) -> Object | None:
    """Say how to follow the one operation that is all there is."""
    only = rows[0] if len(rows) == 1 else None
    followed = isinstance(only, dict) and "operation_id" in only and only.get("status") in WORKING
    return look(only["operation_id"]) if followed and isinstance(only, dict) else None


def _row(row: JsonValue) -> JsonValue:
    if isinstance(row, dict) and "operation_id" in row:
        row = {name: value for name, value in row.items() if name not in _OF_NO_USE_IN_ROWS}
    return without_blanks(row)


def _refused(tool: GatewayTool | None, name: str, arguments: Arguments, body: Object, speech: Speech) -> CallToolResult:
    told: Object = {name: value for name, value in body.items() if name not in ("type", "title", "status")}
    return _told(_with_next(told, after_refusal(tool, name, arguments, told)), speech, is_error=True)


def _told(value: Object, speech: Speech, *, is_error: bool = False) -> CallToolResult:
    return _fitted(speech.told(value), is_error=is_error)


def _fitted(value: Object, *, kept: str | None = None, is_error: bool = False) -> CallToolResult:
    whole: Object = {name: value[name] for name in _WHOLE if name in value}
    rest: Object = {name: each for name, each in value.items() if name not in whole}
    fitted = {**cut_members(rest, LARGEST_ANSWER - size_of(whole)), **whole}
    if kept is not None:
        fitted.setdefault(kept, [])  # that there are none is an answer too
    if size_of(fitted) > LARGEST_ANSWER:
        fitted = {_NOTICE: "The answer is too large to be told, however it is cut.", **whole}
    text = TextContent(type="text", text=written(fitted))
    return CallToolResult(content=[text], structured_content=fitted, is_error=is_error)
