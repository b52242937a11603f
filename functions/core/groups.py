"""Which scopes the groups of a user pool hold, as both locks read it: the trigger before a token, the caller after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.core.declaration import Scope

if TYPE_CHECKING:
    from collections.abc import Iterable

# Pools are shared with other products, and everybody has readers: the names say whose groups these are.
READERS: Final = "instantstart-readers"
OPERATORS: Final = "instantstart-operators"
ADMINISTRATORS: Final = "instantstart-administrators"
# Who may do more may do what others may.
SCOPES_OF_GROUPS: Final = {
    READERS: frozenset({Scope.READ}),
    OPERATORS: frozenset({Scope.READ, Scope.OPERATE}),
    ADMINISTRATORS: frozenset({Scope.READ, Scope.OPERATE, Scope.ADMIN}),
}
# A machine is in no group, and what destroys is left to people.
SCOPES_OF_MACHINES: Final = frozenset({Scope.READ, Scope.OPERATE})


def scopes_of(groups: Iterable[str]) -> frozenset[Scope]:
    """Say what the members of groups may do; a group of somebody else's grants nothing."""
    return frozenset(scope for group in groups for scope in SCOPES_OF_GROUPS.get(group, ()))
