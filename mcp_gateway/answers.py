"""From the API's answer to a tool's result: small, with the next call in it, and an error told as one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from mcp_types import CallToolResult, TextContent

from functions.core.documents import items_of, member
from functions.core.errors import Unavailable
from functions.core.headers import REPLAYED_HEADER
from mcp_gateway.compact import LARGEST_ANSWER, cut_members, fitting, size_of, without_blanks, written
from mcp_gateway.tools import STATUS_TOOL, TOKEN_ARGUMENT

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
_ACCEPTED: Final = 202
_REFUSED: Final = 400
_ENDED: Final = ("SUCCEEDED", "FAILED", "CANCELLED")
_WORKING: Final = ("PENDING", "RUNNING", "CANCELLING")
_RETRYABLE: Final = ("FAILED", "CANCELLED")
# What follows a notice: the name of the tool, its arguments and the words around them.
_ROOM_FOR_NOTICE: Final = 1_000
_OF_NO_USE: Final = ("account_id", "actor", "request", "region", "scopes", "updated_at", "version")
_OF_A_STAGE: Final = ("name", "status", "message", "reason", "error")
_OF_A_STANDING_STAGE: Final = ("name", "status")
_STANDING: Final = ("SUCCEEDED", "SKIPPED")
# Of an operation in a list it is worth knowing whose it is.
_OF_NO_USE_IN_ROWS: Final = frozenset(_OF_NO_USE) - {"actor"}
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
_IN_PROGRESS: Final = "operation_in_progress"
_CONFIRMED: Final = ("confirmation_required", "preview_outdated")


def result_of(tool: GatewayTool, arguments: Arguments, request: ApiRequest, answer: WebAnswer) -> CallToolResult:
    """Make a tool's result of what the API answered."""
    body = _read(answer)
    if answer.status >= _REFUSED:
        return _refused(tool, arguments, body)
    if answer.status == _ACCEPTED:
        return _told(_begun(tool, body, replayed=REPLAYED_HEADER in answer.headers))
    if tool.rows:
        return _told(_rows(tool, arguments, request, body), kept=tool.rows)
    if "stages" in body:
        return _told(_operation(body))
    return _told(_whole(tool, arguments, body))


def refusal(problem: Problem, tool: GatewayTool | None = None, arguments: Arguments | None = None) -> CallToolResult:
    """Make a tool's result of a problem that the gateway itself has found."""
    return _refused(tool, arguments or {}, json.loads(problem.body().model_dump_json(exclude_none=True)))


def _read(answer: WebAnswer) -> Object:
    if "json" in answer.headers.get("content-type", _JSON):
        body = json.loads(answer.body or b"{}")
    else:
        body = {"text": answer.body.decode(errors="replace")}
    if answer.status < _REFUSED or "code" in body:
        return dict(body)
    # What stands before the API, and not the API, has answered.
    problem = Unavailable(f"The gateway's own door answered {answer.status}: {body.get('message') or 'nothing more'}.")
    return dict(json.loads(problem.body().model_dump_json(exclude_none=True)))


def _begun(tool: GatewayTool, body: Object, *, replayed: bool) -> Object:
    seconds = sum(each for stage in items_of(body, "stages") if isinstance(each := stage.get("expected_seconds"), int))
    told: Object = {name: body[name] for name in _BEGUN if name in body}
    told |= {"expected_seconds": seconds, "status_tool": STATUS_TOOL, "next": _status_call(body)}
    if replayed:
        told["replayed"] = True
        told["notice"] = (
            f"The same call began this operation before. To begin another one, call {tool.name} with a new "
            "idempotency_key."
        )
    return told


def _operation(body: Object) -> Object:
    """Tell how far an operation is: stages that wait for their turn are counted, and done ones named only."""
    stages = items_of(body, "stages")
    told: Object = {name: value for name, value in body.items() if name not in _OF_NO_USE}
    started = [each for each in stages if each.get("status") != "PENDING"]
    told["stages"] = [_stage(each) for each in started]
    told["pending_stages"] = len(stages) - len(started)
    told["phases"] = {str(each["name"]): each["status"] for each in items_of(body, "phases")}
    if body.get("status") not in _ENDED:
        told["next"] = _status_call(body)
    elif body.get("status") in _RETRYABLE:
        told["next"] = {"tool": "operation_retry", "arguments": {"operation_id": body["operation_id"]}}
    return told


def _stage(stage: Object) -> Object:
    told = _OF_A_STANDING_STAGE if stage.get("status") in _STANDING else _OF_A_STAGE
    return {name: stage[name] for name in told if name in stage}


def _status_call(body: Object) -> Object:
    return {"tool": STATUS_TOOL, "arguments": {"operation_id": body["operation_id"]}}


def _rows(tool: GatewayTool, arguments: Arguments, request: ApiRequest, body: Object) -> Object:
    """Give as many rows as fit, and the token of those that follow."""
    assert tool.rows is not None
    found = body.get(tool.rows)
    rows = [_row(each) for each in found[request.position.skip :]] if isinstance(found, list) else []
    beside: Object = {name: value for name, value in body.items() if name not in (tool.rows, TOKEN_ARGUMENT)}
    around = cut_members(beside, LARGEST_ANSWER // 2)
    shown = fitting(rows, LARGEST_ANSWER - size_of(around) - _ROOM_FOR_NOTICE)
    told: Object = {tool.rows: rows[:shown], **around}
    following = request.position.after(shown) if shown < len(rows) else body.get(TOKEN_ARGUMENT)
    if following:
        told |= {TOKEN_ARGUMENT: following, "notice": "There are more rows than these."}
        told["next"] = {"tool": tool.name, "arguments": {**arguments, TOKEN_ARGUMENT: following}}
    elif len(rows) == 1 and isinstance(rows[0], dict) and rows[0].get("status") in _WORKING:
        told["next"] = _status_call(rows[0])
    return told


def _row(row: JsonValue) -> JsonValue:
    if isinstance(row, dict) and "operation_id" in row:
        row = {name: value for name, value in row.items() if name not in _OF_NO_USE_IN_ROWS}
    return without_blanks(row)


def _whole(tool: GatewayTool, arguments: Arguments, body: Object) -> Object:
    """Give a preview with the call that confirms it, or that waits for what is in its way; all else as it is."""
    following = _after_preview(tool, arguments, body) if tool.begins else None
    return {**body, "next": following} if following else body


def _after_preview(tool: GatewayTool, arguments: Arguments, body: Object) -> Object | None:
    call = {name: value for name, value in arguments.items() if name != "dry_run"}
    if digest := member(body, "preview").get("digest"):
        return {"tool": tool.name, "arguments": {**call, "confirm": digest}}
    working = [each.get("resource") for each in items_of(body, "findings") if each.get("code") == _IN_PROGRESS]
    return _status_call({"operation_id": working[0]}) if working else None


def _refused(tool: GatewayTool | None, arguments: Arguments, body: Object) -> CallToolResult:
    told = {name: value for name, value in body.items() if name not in ("type", "title", "status")}
    if following := _after_refusal(tool, arguments, told):
        told["next"] = following
    return _told(told, is_error=True)


def _after_refusal(tool: GatewayTool | None, arguments: Arguments, told: Object) -> Object | None:
    """Name the call that gets further; None when a person has to decide."""
    if tool is not None and told.get("code") in _CONFIRMED:
        call = {name: value for name, value in arguments.items() if name != "confirm"}
        return {"tool": tool.name, "arguments": {**call, "dry_run": True}}
    if told.get("operation_id"):
        return {"tool": "operation_get", "arguments": {"operation_id": told["operation_id"]}}
    if tool is not None and told.get("retryable"):
        return {"tool": tool.name, "arguments": dict(arguments)}
    return None


def _told(value: Object, *, kept: str | None = None, is_error: bool = False) -> CallToolResult:
    fitted = cut_members(value, LARGEST_ANSWER)
    if kept is not None:
        fitted.setdefault(kept, [])  # that there are none is an answer too
    if size_of(fitted) > LARGEST_ANSWER:
        fitted = {"notice": "The answer is too large to be told, however it is cut."}
    text = TextContent(type="text", text=written(fitted))
    return CallToolResult(content=[text], structured_content=fitted, is_error=is_error)
