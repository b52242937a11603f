"""What a token must not hold: it keeps of our scopes only those that its owner's groups do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.core.groups import SCOPES_OF_MACHINES, scopes_of

if TYPE_CHECKING:
    from functions.identity.tokens.models import TokenEvent

_API: Final = "instantstart"
# The identifier of the other resource is its address, which ends in this whatever the domain.
_MCP: Final = "/mcp"


def suppressed(event: TokenEvent) -> tuple[str, ...]:
    """List the scopes that the token must not have; those of other resources are none of ours."""
    held = SCOPES_OF_MACHINES if event.is_of_a_machine else scopes_of(event.groups)
    return tuple(scope for scope in event.request.scopes if _is_ours(scope) and _name(scope) not in held)


def _is_ours(scope: str) -> bool:
    resource = scope.rpartition("/")[0]
    return resource == _API or resource.endswith(_MCP)


def _name(scope: str) -> str:
    return scope.rpartition("/")[2]
