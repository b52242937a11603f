"""What a token must not hold: it keeps of our scopes only those that its owner's groups do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.core.groups import SCOPES_OF_MACHINES, scopes_of

if TYPE_CHECKING:
    from functions.identity.tokens.models import TokenEvent

_API: Final = "instantstart"
_MCP: Final = "/mcp"


def suppressed(event: TokenEvent, console_url: str) -> tuple[str, ...]:
    """List the scopes that the token must not have; those of other resources are none of ours.

    Ours are the API and what is at /mcp of `console_url`, which is an address without a path.
    """
    held = SCOPES_OF_MACHINES if event.is_of_a_machine else scopes_of(event.groups)
    ours = (_API, f"{console_url}{_MCP}")
    named = ((scope, *scope.rpartition("/")[::2]) for scope in event.request.scopes)
    return tuple(scope for scope, resource, name in named if resource in ours and name not in held)
