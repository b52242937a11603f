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
    from mcp_gateway.wording import Speech

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
    """Carry out a call and log how it ended."""
    result = _answered(name, carried_out, tool, arguments)
    content = result.structured_content or {}
    facts = {
        "tool": name,
        "caller": current.get().claim.id,
        "code": content.get("code") if result.is_error else None,
        "operation_id": content.get("operation_id"),
    }
    _logger.info("tool call", extra=facts)
    return result


def _answered(name: str, carried_out: _Call, tool: GatewayTool | None, arguments: Arguments) -> CallToolResult:
    """Tell a problem as the tool's result: the model reads what would be right, and goes on."""
    try:
        return carried_out()
    except Problem as problem:
        return answers.refusal(problem, tool, name, arguments)
    except Exception as error:  # the last door: a fault of ours is told without its trace
        _logger.error("unexpected fault", exc_info=error)
        fault = Problem("The gateway met a fault of its own; its log has the cause.", remedy=AGAIN)
        return answers.refusal(fault, tool, name, arguments)


def _asked(tool: GatewayTool, arguments: Arguments, translation: legacy.LegacyTool | None) -> CallToolResult:
    _check_allowed(tool, current.get())
    if translation is None:
        return _told(tool, arguments)
    wanted = translation.arguments(arguments)
    if translation.about_active and "tag" not in wanted:
        return _about_active(tool, arguments, translation)
    return _told(tool, wanted, legacy_answers.speech_of(translation, arguments, wanted))


def _about_active(tool: GatewayTool, sent: Arguments, made: legacy.LegacyTool) -> CallToolResult:
    """Carry out a call that names no cluster as one that names the active one: so it is repeated, if it is."""
    chosen, wanted = _sent(_ACTIVE, current.get()), made.arguments(sent)
    if chosen.status != HTTPStatus.OK:
        return answers.result_of(tool, wanted, _ACTIVE, chosen, legacy_answers.speech_of(made, sent, wanted))
    active = _active_cluster(chosen)
    named = {**sent, legacy.TAG_ARGUMENT: active}
    wanted = made.arguments(named)
    speech = legacy_answers.speech_of(made, named, wanted, active)
    return _answered(made.name, lambda: _told(tool, wanted, speech), tool, named)


def _told(tool: GatewayTool, arguments: Arguments, speech: Speech | None = None) -> CallToolResult:
    invocation = current.get()
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
            "No cluster is active.",
            remedy=f"Name one as {legacy.TAG_ARGUMENT}, or choose one with cluster_switch; cluster_list_all lists all.",
        )
    return str(chosen)


def _unknown(name: str) -> MCPError:
    known = [*all_tools(), *legacy.TOOLS, legacy.WAIT]
    near = get_close_matches(name[:64], known, n=3)
    hint = f" Did you mean {', '.join(near)}?" if near else " tools/list names those there are."
    return MCPError(INVALID_PARAMS, f"Unknown tool: {name[:64]!r}.{hint}")
