"""The declarations that this process knows: which routes and which kinds of stage there are.

`functions/entry/domains.py` lists them; every entry installs that list before it answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.core.errors import DeploymentFault

if TYPE_CHECKING:
    from collections.abc import Iterable

    from functions.core.declaration import Declaration, Route, Stage

_declarations: list[Declaration] = []


def install(declarations: Iterable[Declaration]) -> None:
    """Make declarations known; those installed before are forgotten."""
    _declarations[:] = declarations


def routes() -> list[Route]:
    """Give all declared routes."""
    return [route for declaration in _declarations for route in declaration.routes]


def stage(name: str) -> Stage:
    """Find the declaration of a stage by its name or kind; raise DeploymentFault when no domain declares it."""
    kind = name.partition(":")[0]
    for declaration in _declarations:
        for declared in declaration.stages:
            if declared.kind == kind:
                return declared
    raise DeploymentFault(f"No domain of this release declares stages of the kind {kind}.")
