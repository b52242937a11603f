"""The call that an answer names as the next one: to follow what was begun, to confirm, to get past a refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.core.documents import items_of, member
from functions.core.errors import Problem
from mcp_gateway.compact import size_of
from mcp_gateway.tools import STATUS_TOOL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from mcp_gateway.tools import GatewayTool

    Arguments = Mapping[str, JsonValue]
    Object = dict[str, JsonValue]

# Longer arguments are not repeated: the agent has them.
_LONGEST_REPEATED: Final = 4_096
_OPERATION: Final = "operation_id"
_OPERATIONS: Final = "operation_list"
_CONFIRMED: Final = ("confirmation_required", "preview_outdated")
_IN_PROGRESS: Final = "operation_in_progress"
# What to do where nobody knows whether the API has heard of a call.
AGAIN: Final = (
    "Call the tool again with the same arguments, which is safe: what was begun is given back and not begun twice; "
    "operation_list names it too."
)
WORKING: Final = ("PENDING", "RUNNING", "CANCELLING")


def again(tool: str, arguments: Arguments, without: str | None = None, **changed: JsonValue) -> Object:
    """Name the same call with other arguments."""
    repeated: Object = {name: value for name, value in arguments.items() if name != without and name not in changed}
    if size_of(repeated) > _LONGEST_REPEATED:
        return {"tool": tool, "arguments": changed, "other_arguments": "as in this call"}
    return {"tool": tool, "arguments": {**repeated, **changed}}


def look(operation_id: JsonValue, tool: str = STATUS_TOOL) -> Object:
    """Name the call that tells how far an operation is."""
    return {"tool": tool, "arguments": {_OPERATION: operation_id}}


def after_operation(body: Object) -> Object | None:
    """Name the call that follows an operation, goes on with it, or finds out what is in its way."""
    status, error = body.get("status"), member(body, "error")
    if status in WORKING:
        return look(body[_OPERATION])
    if status == "CANCELLED" or (status == "FAILED" and error.get("retryable")):
        return look(body[_OPERATION], "operation_retry")
    if status == "FAILED" and body.get("cluster_tag"):
        return {"tool": "cluster_diagnose", "arguments": {"tag": body["cluster_tag"]}}
    return None


def after_preview(tool: GatewayTool, arguments: Arguments, body: Object) -> Object | None:
    """Name the call that confirms a preview, or the one that waits for what is in its way."""
    if digest := member(body, "preview").get("digest"):
        return again(tool.name, arguments, "dry_run", confirm=digest)
    working = [each.get("resource") for each in items_of(body, "findings") if each.get("code") == _IN_PROGRESS]
    return look(working[0]) if working else None


def after_refusal(tool: GatewayTool | None, name: str, arguments: Arguments, told: Object) -> Object | None:
    """Name the call that gets further, the same by its `name` at times; None when a person has to decide."""
    if tool is not None and told.get("code") in _CONFIRMED:
        return again(tool.name, arguments, "confirm", dry_run=True)
    operation_id = told.get(_OPERATION)
    if operation_id and operation_id != arguments.get(_OPERATION):
        return look(operation_id, "operation_get")
    if tool is not None and told.get("retryable"):
        return again(name, arguments)
    if tool is not None and not tool.reads and told.get("code") == Problem.code:
        return {"tool": _OPERATIONS, "arguments": {}}
    return None
