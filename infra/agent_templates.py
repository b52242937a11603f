"""Writes what the console makes agents' configurations from: `python -m infra.agent_templates [--check]`.

The files are those of `infra/agents.py`, for doors whose addresses are marks that the console fills in; beside them,
what a person chooses from and is told: toolsets, tools, skills.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from functions.core.caller import Claim
from functions.core.declaration import Scope
from infra import generated
from infra.agents import AGENT, SERVER, OpenDoor, SignedDoor, configurations, inspection
from infra.host.addresses import mcp_url
from mcp_gateway.selection import Selection, names, selected
from mcp_gateway.skills import skills
from mcp_gateway.tools import all_tools

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import JsonValue

    from infra.agents import Door
    from mcp_gateway.skills import Skill
    from mcp_gateway.tools import GatewayTool

TARGET: Final = Path(__file__).parents[1] / "frontend" / "src" / "pages" / "connect" / "templates.json"
# What the console puts in: the choices behind an address go with their question mark, or away.
ORIGIN: Final = "{origin}"
SIGNED_URL: Final = "{signed_url}"
CHOICES: Final = "?{choices}"
CLIENT_ID: Final = "{client_id}"
REGION: Final = "{region}"
DOORS: Final[dict[str, Door]] = {
    "open": OpenDoor(mcp_url(ORIGIN) + CHOICES),
    "sign_in": OpenDoor(mcp_url(ORIGIN) + CHOICES, CLIENT_ID),
    "signed": SignedDoor(SIGNED_URL + CHOICES, REGION),
}

_EVERYBODY: Final = Claim(id="anybody", scopes=frozenset(Scope), client="console")


def templates() -> dict[str, JsonValue]:
    """Give everything that the console needs, as data."""
    return {
        "server": SERVER,
        "agent": AGENT,
        "doors": {name: _door(door) for name, door in DOORS.items()},
        "toolsets": {name: _tools_of(name) for name in names()},
        "tools": [_tool(tool) for tool in all_tools().values()],
        "skills": [_skill(skill) for skill in skills()],
    }


def text() -> str:
    """Write them the same way every time."""
    return json.dumps(templates(), indent=2, ensure_ascii=False) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the file, or say whether the kept one is stale."""
    return generated.main("agents", lambda: {TARGET: text()}, __doc__, arguments)


def _door(door: Door) -> dict[str, JsonValue]:
    return {
        "files": {str(name): content for name, content in configurations(door).items()},
        "inspection": inspection(door),
    }


def _tools_of(toolset: str) -> list[JsonValue]:
    """Name the tools of an address that asks for one toolset; one that asks for several has those of each."""
    return [tool.name for tool in selected(Selection(frozenset({toolset})), _EVERYBODY)]


def _tool(tool: GatewayTool) -> dict[str, JsonValue]:
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "toolset": tool.toolset,
        "reads": tool.reads,
        "destroys": tool.destroys,
    }


def _skill(skill: Skill) -> dict[str, JsonValue]:
    return {"title": skill.title, "description": skill.description, "uri": skill.uri, "text": skill.files[skill.uri]}


if __name__ == "__main__":
    sys.exit(main())
