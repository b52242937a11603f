"""A walk through the gateway with what the SDK 1.x and 2.x have in common: `python walk.py URL`; prints what it saw.

It runs in the environment of the older SDK, where nothing of this repository is found.
"""

import asyncio
import json
import sys

from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client


async def walk(url: str) -> dict[str, dict[str, object]]:
    """Do what an agent does first; give the protocol's own words."""
    async with streamable_http_client(url) as streams, ClientSession(streams[0], streams[1]) as session:
        seen = {
            "begun": await session.initialize(),
            "tools": await session.list_tools(),
            "clusters": await session.call_tool("cluster_list", {}),
            "preview": await session.call_tool("cluster_create", {"tag": "walked", "dry_run": True}),
            "refused": await session.call_tool("cluster_get", {"tag": "no-such"}),
            "resources": (resources := await session.list_resources()),
            "page": await session.read_resource(resources.resources[0].uri),
            "prompts": (prompts := await session.list_prompts()),
            "prompt": await session.get_prompt(prompts.prompts[0].name, {"request": "Look around."}),
        }
    return {name: each.model_dump(mode="json", by_alias=True, exclude_none=True) for name, each in seen.items()}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(walk(sys.argv[1]))))
