"""Which tools a caller sees: those of the address's `toolsets`, and only reading ones for who may only read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs

from functions.core.declaration import Scope
from functions.core.errors import FieldError, InvalidRequest
from mcp_gateway import legacy
from mcp_gateway.tools import all_tools

if TYPE_CHECKING:
    from functions.core.caller import Claim
    from mcp_gateway.tools import GatewayTool

DEFAULT: Final = "default"
EVERYTHING: Final = "all"
# Whatever is begun is followed by these.
_ALWAYS: Final = "operations"
_TOOLSETS: Final = "toolsets"
_READONLY: Final = "readonly"
_NO: Final = ("false", "0", "no")


@dataclass(frozen=True)
class Selection:
    """What an address asks for: toolsets by name, and whether anything may be changed through it."""

    toolsets: frozenset[str] = frozenset({DEFAULT})
    readonly: bool = False


def names() -> list[str]:
    """List the toolsets."""
    return [DEFAULT, EVERYTHING, legacy.TOOLSET, *sorted({tool.toolset for tool in all_tools().values()})]


def selection_of(query: str) -> Selection:
    """Read what an address's query asks for; raise InvalidRequest for what there is none of."""
    asked = parse_qs(query, keep_blank_values=True)
    _refuse("parameter", asked.keys() - {_TOOLSETS, _READONLY}, [_TOOLSETS, _READONLY])
    wanted = {name for value in asked.get(_TOOLSETS, ()) for name in value.split(",") if name}
    _refuse(_TOOLSETS, wanted - {*names()}, names())
    readonly = _READONLY in asked and asked[_READONLY][-1].lower() not in _NO
    return Selection(frozenset(wanted or {DEFAULT}), readonly)


def selected(selection: Selection, claim: Claim) -> list[GatewayTool]:
    """List the tools of a caller, in the order in which they are always listed."""
    return [tool for tool in all_tools().values() if _is_in(tool, selection) and is_shown(tool, selection, claim)]


def is_shown(tool: GatewayTool, selection: Selection, claim: Claim) -> bool:
    """Say whether a tool is shown to a caller: to who may only read, what reads."""
    return tool.reads or (not selection.readonly and bool(claim.scopes - {Scope.READ}))


def may_use(tool: GatewayTool, selection: Selection, claim: Claim) -> bool:
    """Say whether a caller gets anywhere with a tool: a choice of its own is also for who may only read."""
    return is_shown(tool, selection, claim) or (not selection.readonly and tool.scope is Scope.READ)


def _is_in(tool: GatewayTool, selection: Selection) -> bool:
    """Say whether a tool is asked for by the name of its toolset, or is one that is usual where it is asked for."""
    if selection.toolsets & {EVERYTHING, tool.toolset}:
        return True
    return not tool.additional and (DEFAULT in selection.toolsets or tool.toolset == _ALWAYS)


def _refuse(field: str, unknown: set[str], allowed: list[str]) -> None:
    if unknown:
        error = FieldError(field=field, message=f"{sorted(unknown)[0]} is none of this address", allowed=allowed)
        raise InvalidRequest(f"{field}: {error.message}", errors=[error])
