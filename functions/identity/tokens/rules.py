"""Which scopes the groups of a user pool hold; a token keeps of ours only those that its owner's groups do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.core.declaration import Scope

if TYPE_CHECKING:
    from collections.abc import Iterable

    from functions.identity.tokens.models import TokenEvent

# Who may do more may do what others may.
SCOPES_OF_GROUPS: Final = {
    "readers": frozenset({Scope.READ}),
    "operators": frozenset({Scope.READ, Scope.OPERATE}),
    "administrators": frozenset({Scope.READ, Scope.OPERATE, Scope.ADMIN}),
}
# A machine is in no group, and what destroys is left to people.
SCOPES_OF_MACHINES: Final = frozenset({Scope.READ, Scope.OPERATE})
_API: Final = "instantstart"
# The identifier of the other resource is its address, which ends in this whatever the domain.
_MCP: Final = "/mcp"


def suppressed(event: TokenEvent) -> tuple[str, ...]:
    """List the scopes that the token must not have; those of other resources are none of ours."""
    held = SCOPES_OF_MACHINES if event.is_of_a_machine else scopes_of(event.groups)
    return tuple(scope for scope in event.request.scopes if _is_ours(scope) and _name(scope) not in held)


def scopes_of(groups: Iterable[str]) -> frozenset[Scope]:
    """Say what the members of groups may do; a group of somebody else's grants nothing."""
    return frozenset(scope for group in groups for scope in SCOPES_OF_GROUPS.get(group, ()))


def _is_ours(scope: str) -> bool:
    resource = scope.rpartition("/")[0]
    return resource == _API or resource.endswith(_MCP)


def _name(scope: str) -> str:
    return scope.rpartition("/")[2]
