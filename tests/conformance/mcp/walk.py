"""A walk through the gateway with what the SDK 1.x and 2.x have in common; prints what it saw.

`python walk.py URL` goes there itself, `python walk.py PROGRAM ARGUMENT...` through a program that goes there for it.

It runs in the environment of the older SDK, where nothing of this repository is found.
"""

import asyncio
import json
import os
import sys
from typing import Any

from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client


async def walk(place: str, *arguments: str) -> dict[str, dict[str, Any]]:
    """Do what an agent does first, at an address or through a program; give the protocol's own words."""
    program = StdioServerParameters(command=place, args=[*arguments], env={**os.environ})
    reached = streamable_http_client(place) if place.startswith("http") else stdio_client(program)
    async with reached as streams, ClientSession(streams[0], streams[1]) as session:
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
    print(json.dumps(asyncio.run(walk(*sys.argv[1:]))))
