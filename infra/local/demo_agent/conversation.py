"""The whole conversation: an agent connects, creates a cluster with the person, and deletes it when told to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from infra.local.demo_agent import creation, deletion
from infra.local.demo_agent.agent import Agent, Otherwise
from infra.local.demo_agent.creation import Wishes
from infra.local.demo_agent.transcript import Transcript
from infra.topology import MCP_PATH

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from mcp.server.lowlevel import Server

    from infra.local.doors import Doors

WISHES: Final = Wishes(tag="hypd-0304b", availability_zone="us-west-2c", instance_type="g6.4xlarge", count=1)
# The names of AWS's tools, and ours for what it has none for.
_TOOLSETS: Final = "default,legacy"


def address(opened: Doors) -> str:
    """Say where the agent finds its tools."""
    return f"{opened.api}{MCP_PATH}?toolsets={_TOOLSETS}"


async def converse(server: str | Server[Any], now: Callable[[], datetime]) -> str | None:
    """Hold the conversation with the server at an address, or in this process; say why it ended otherwise, if so."""
    async with Client(server) as client:
        agent = Agent(client, Transcript(now))
        # Within the connection: what leaves it arrives as a group of errors.
        try:
            await _connected(client, agent)
            await creation.create(agent, WISHES)
            await deletion.delete(agent, WISHES.tag)
        except (Otherwise, MCPError) as error:
            return str(error)
    return None


async def _connected(client: Client, agent: Agent) -> None:
    listed = await client.list_tools()
    agent.say(f"I am connected, and have {len(listed.tools)} tools.")
