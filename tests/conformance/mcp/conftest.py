"""A host on real ports: with the product at /mcp, and with what the official suite looks for at /everything."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import pytest

from functions.core.declaration import Route, Scope
from functions.core.groups import OPERATORS
from infra.local import doors
from infra.local.host import LocalHost, Options
from infra.shapes import Function, Weight
from infra.topology import MCP_PATH, TOPOLOGY

_EVERYTHING: Final = Function(
    "everything", "tests.conformance.mcp.everything.handler", "has what the suite looks for", weight=Weight.AGENTS
)
_PATH: Final = f"/{_EVERYTHING.name}"
AGENT_ROLE: Final = "arn:aws:iam::123456789012:role/agents/deployer"


@dataclass(frozen=True)
class Served:
    """Where a host has its two servers, and the door of the first for agents that sign with a role."""

    host: LocalHost
    origin: str
    signed: str

    @property
    def product(self) -> str:
        """Say where the gateway is."""
        return f"{self.origin}{MCP_PATH}"

    @property
    def everything(self) -> str:
        """Say where the server is that has what the suite looks for."""
        return f"{self.origin}{_PATH}"


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    routes = [
        Route(f"{method.lower()}_everything", method, _PATH, Scope.READ, "Speak MCP", function=_EVERYTHING.name)
        for method in ("POST", "GET", "DELETE")
    ]
    topology = replace(TOPOLOGY, functions=(*TOPOLOGY.functions, _EVERYTHING), routes=(*TOPOLOGY.routes, *routes))
    with (
        closing(LocalHost(_options(tmp_path_factory.mktemp("agents")), topology)) as host,
        doors.opened(host) as opened,
    ):
        yield Served(host, opened.api, opened.mcp_signed)


def _options(directory: Path) -> Options:
    return Options(directory, agent_roles={AGENT_ROLE: OPERATORS})
