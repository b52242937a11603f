"""How a domain declares itself as plain data: routes, stages and the AWS actions they need.

`infra/topology.py` concatenates the declarations; both hosts and the gateway's catalogue are built from the result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Scope(StrEnum):
    """What a caller's token must hold to use a route."""

    READ = "read"
    OPERATE = "operate"
    ADMIN = "admin"


@dataclass(frozen=True)
class Route:
    """One HTTP route; `operation_id` names its handler in the domain's `routes.py` and its OpenAPI operation."""

    operation_id: str
    method: str
    path: str
    scope: Scope
    summary: str
    success: int = 200
    function: str = "api"
    media: str = "application/json"


@dataclass(frozen=True)
class Stage:
    """One kind of stage; instances of a parameterised kind are named `<kind>:<parameter>`.

    `woken_by` names the sources of bus events that end a wait of the stage before its time.
    """

    kind: str
    function: str
    title: str
    expected_seconds: int
    actions: tuple[str, ...] = ()
    woken_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tool:
    """By which name an agent calls a route; `title` and `description` tell a model what the route's schema does not.

    `destroys` says that something can be lost by it, `repeats` that the same call again does the same again, and
    `additional` that it is listed only where its domain is asked for. `sends` has query parameters that the tool
    decides, so that its callers need not know them. `null_says` has what null means for a member of the body, where
    that is something else than to leave it out.
    """

    name: str
    operation_id: str
    title: str
    description: str
    destroys: bool = False
    repeats: bool = False
    additional: bool = False
    sends: Mapping[str, int] = field(default_factory=dict)
    null_says: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Declaration:
    """Everything a domain adds to the product."""

    domain: str
    routes: tuple[Route, ...] = ()
    stages: tuple[Stage, ...] = ()
    route_actions: tuple[str, ...] = ()
    tools: tuple[Tool, ...] = ()
