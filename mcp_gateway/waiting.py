"""The pause between two looks, for agents that bring the habit: a bounded one, which says what remains of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcp_types import CallToolResult, TextContent

from functions.core import runtime
from functions.core.errors import FieldError, InvalidRequest
from mcp_gateway.compact import written
from mcp_gateway.invocation import current
from mcp_gateway.legacy import WAIT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

LONGEST_SECONDS: Final = 20
# What is left of an invocation after a pause, to answer in.
_RESERVE_SECONDS: Final = 5
_SECONDS: Final = "seconds"


def wait(arguments: Mapping[str, JsonValue]) -> CallToolResult:
    """Let time pass, 20 seconds at most; raise InvalidRequest for anything but a number of seconds."""
    wished = arguments.get(_SECONDS)
    if not isinstance(wished, int) or isinstance(wished, bool) or wished < 0 or arguments.keys() != {_SECONDS}:
        error = FieldError(field=_SECONDS, message="has to be a whole number of seconds, and the only argument")
        raise InvalidRequest(f"{_SECONDS}: {error.message}", errors=[error])
    waited = max(0, min(wished, LONGEST_SECONDS, int(current.get().seconds_left()) - _RESERVE_SECONDS))
    runtime.sleep(waited)
    told: dict[str, JsonValue] = {"waited_seconds": waited, "remaining_seconds": wished - waited}
    if wished > waited:
        told["next"] = {"tool": WAIT, "arguments": {_SECONDS: wished - waited}}
    return CallToolResult(content=[TextContent(type="text", text=written(told))], structured_content=told)
