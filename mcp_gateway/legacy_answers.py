"""Answers to calls by the reference's names: the calls that they name have such names too, where there are any."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from functions.core.errors import InvalidRequest
from mcp_gateway.legacy import TAG_ARGUMENT, TOOLS
from mcp_gateway.wording import Speech

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic import JsonValue

    from mcp_gateway.legacy import LegacyTool
    from mcp_gateway.wording import Object

    Arguments = Mapping[str, JsonValue]

_LIST: Final = "operation_list"
_LOOKS: Final = ("operation_get", "operation_wait")
_OPERATION: Final = "operation_id"
_NOTE: Final = (
    "This was about the active cluster, {}. Others who call as you do choose it too; name a cluster as "
    f"{TAG_ARGUMENT}."
)


def speech_of(made: LegacyTool, sent: Arguments, wanted: Arguments, active: str | None = None) -> Speech:
    """Speak to whoever made a call; `wanted` is what it says in our words, `active` the cluster that it left unsaid."""
    own: Object = {"tool": made.tool, "arguments": dict(wanted)}

    def renamed(call: Object, operation: Object) -> Object:
        if call == own:
            return {"tool": made.name, "arguments": dict(sent)}
        return _status(call, operation) or _said(call) or call

    return Speech(wanted, renamed, _NOTE.format(active) if active else "")


def _status(call: Object, operation: Object) -> Object | None:
    """Name the status tool of an operation that a call looks at: it tells of the newest of its kind and cluster."""
    looked_at = call["arguments"].get(_OPERATION) if isinstance(call["arguments"], dict) else None
    if call["tool"] not in _LOOKS or looked_at is None or looked_at != operation.get(_OPERATION):
        return None
    name, tag = _status_tools().get(str(operation.get("kind"))), operation.get("cluster_tag")
    return {"tool": name, "arguments": {TAG_ARGUMENT: tag}} if name and tag else None


def _said(call: Object) -> Object | None:
    """Find a call by the reference's names that becomes exactly this one of ours."""
    for each in TOOLS.values():
        for sent in _ways(call["arguments"]) if each.tool == call["tool"] else ():
            if _becomes(each, sent, call):
                return {"tool": each.name, "arguments": sent}
    return None


def _ways(wanted: JsonValue) -> Iterator[Object]:
    yield {}
    if isinstance(wanted, dict):
        yield from ({TAG_ARGUMENT: wanted[name]} for name in ("tag", "cluster_tag") if name in wanted)


def _becomes(each: LegacyTool, sent: Object, call: Object) -> bool:
    try:
        return each.arguments(sent) == call["arguments"]
    except InvalidRequest:
        return False


@cache
def _status_tools() -> dict[str, str]:
    """Give the tools that tell how far something is, by the kind of its operation."""
    return {str(each.arguments({})["kind"]): each.name for each in TOOLS.values() if each.tool == _LIST}
