"""One tool call from beginning to end: one request to the API, or a pause."""

from __future__ import annotations

import json
from difflib import get_close_matches
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from aws_lambda_powertools import Logger
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult

from functions.core.errors import Forbidden, PreconditionFailed, Problem
from mcp_gateway import answers, door, legacy, legacy_answers, waiting
from mcp_gateway.following import AGAIN
from mcp_gateway.invocation import current
from mcp_gateway.requests import ApiRequest, request_of
from mcp_gateway.selection import may_use
from mcp_gateway.tools import all_tools

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic import JsonValue

    from functions.core.web import WebAnswer
    from mcp_gateway.invocation import Invocation
    from mcp_gateway.tools import GatewayTool

    Arguments = Mapping[str, JsonValue]
    _Call = Callable[[], CallToolResult]

_ACTIVE: Final = ApiRequest("GET", "/api/preferences/active_cluster")
# What is left of an invocation once the API has answered, to tell that.
_RESERVE_SECONDS: Final = 1.0
# And what the API needs beside waiting, when it starts cold.
_WAITING_RESERVE_SECONDS: Final = 7.0
_logger = Logger(service="instantstart-mcp", log_uncaught_exceptions=False)


def call(name: str, arguments: Arguments) -> CallToolResult:
    """Carry out a tool call; raise MCPError for a tool that there is none of."""
    if name == legacy.WAIT:
        return _guarded(name, lambda: waiting.wait(arguments), None, arguments)
    translation = legacy.TOOLS.get(name)
    tool = all_tools().get(translation.tool if translation else name)
    if tool is None:
        raise _unknown(name)
    return _guarded(name, lambda: _asked(tool, arguments, translation), tool, arguments)


def _guarded(name: str, carried_out: _Call, tool: GatewayTool | None, arguments: Arguments) -> CallToolResult:
    """Tell a problem as the tool's result: the model reads what would be right, and goes on."""
    try:
        result = carried_out()
    except Problem as problem:
        result = answers.refusal(problem, tool, name, arguments)
    except Exception as error:  # the last door: a fault of ours is told without its trace
        _logger.error("unexpected fault", exc_info=error)
        fault = Problem("The gateway met a fault of its own; its log has the cause.", remedy=AGAIN)
        result = answers.refusal(fault, tool, name, arguments)
    content = result.structured_content or {}
    facts = {
        "tool": name,
        "caller": current.get().claim.id,
        "code": content.get("code") if result.is_error else None,
        "operation_id": content.get("operation_id"),
    }
    _logger.info("tool call", extra=facts)
    return result


def _asked(tool: GatewayTool, arguments: Arguments, translation: legacy.LegacyTool | None) -> CallToolResult:
    invocation, sent, speech = current.get(), arguments, None
    _check_allowed(tool, invocation)
    if translation is not None:
        arguments = translation.arguments(sent)
        if translation.about_active and "tag" not in arguments:
            chosen = _sent(_ACTIVE, invocation)
            if chosen.status != HTTPStatus.OK:
                told_by = legacy_answers.speech_of(translation, sent, arguments)
                return answers.result_of(tool, arguments, _ACTIVE, chosen, told_by)
            arguments = {**arguments, "tag": _active_cluster(chosen)}
        speech = legacy_answers.speech_of(translation, sent, arguments)
    request = request_of(tool, arguments, int(invocation.seconds_left() - _WAITING_RESERVE_SECONDS))
    return answers.result_of(tool, arguments, request, _sent(request, invocation), speech)


def _sent(request: ApiRequest, invocation: Invocation) -> WebAnswer:
    return door.send(request, invocation.claim, invocation.seconds_left() - _RESERVE_SECONDS)


def _check_allowed(tool: GatewayTool, invocation: Invocation) -> None:
    if may_use(tool, invocation.selection, invocation.claim):
        return
    if invocation.selection.readonly:
        why = f"{tool.name} changes something, and this address is for reading only."
        raise Forbidden(why, remedy="Connect to the address without `readonly` to change anything.")
    why = f"{tool.name} needs the scope {tool.scope}, and {invocation.claim.id} may only read."
    raise Forbidden(why, remedy=f"Ask an administrator for a group that grants {tool.scope}, then sign in again.")


def _active_cluster(answer: WebAnswer) -> str:
    """Read which cluster the caller works with: a legacy call need not say, and costs a request more."""
    chosen = json.loads(answer.body).get("cluster_tag")
    if not chosen:
        raise PreconditionFailed(
            "No cluster is active.", remedy="Choose one with cluster_switch; cluster_list_all names them."
        )
    return str(chosen)


def _unknown(name: str) -> MCPError:
    known = [*all_tools(), *legacy.TOOLS, legacy.WAIT]
    near = get_close_matches(name[:64], known, n=3)
    hint = f" Did you mean {', '.join(near)}?" if near else " tools/list names those there are."
    return MCPError(INVALID_PARAMS, f"Unknown tool: {name[:64]!r}.{hint}")
