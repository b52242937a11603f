"""The configurations that the console shows are, to the letter, those of `make agents`: its own code runs here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from infra import agent_templates
from infra.agents import Door, OpenDoor, SignedDoor, configurations, inspection
from infra.host.addresses import Clients, SignInAddresses, console_config
from infra.shapes import ROOT

if TYPE_CHECKING:
    from pydantic import JsonValue

ORIGIN: Final = "https://console.example.com"
SIGNED: Final = "https://abc123.execute-api.eu-west-1.amazonaws.com/mcp"
# The environment's own: an older one of the machine does not read the console's TypeScript as it stands.
NODE: Final = Path(sys.executable).parent / "node"
PROGRAM: Final = """
import { readFileSync } from 'node:fs';
const { filled } = await import(process.argv[1]);
const { templates, config, door, choices } = JSON.parse(readFileSync(0, 'utf8'));
const { files, inspection } = templates.doors[door];
const fill = (text) => filled(text, config, choices);
const done = Object.entries(files).map(([name, text]) => [name, fill(text)]);
console.log(JSON.stringify({ files: Object.fromEntries(done), inspection: fill(inspection) }));
"""


def config_of(*, signs_in: bool) -> dict[str, JsonValue]:
    """What a deployment tells its console; a machine of one's own has no sign-in."""
    origin = ORIGIN if signs_in else "http://localhost:3099"
    sign_in = SignInAddresses("https://issuer.example.com/pool", "sign-in.example.com") if signs_in else None
    return console_config(
        origin,
        sign_in,
        Clients("console", "agent-client", "machine") if signs_in else None,
        websocket_url="wss://sockets.example.com/live",
        region="eu-west-1",
        release="r1",
        signed_mcp_url=SIGNED if signs_in else None,
    )


@pytest.mark.parametrize(
    ("toolsets", "readonly", "query"),
    [
        ([], False, ""),
        (["default"], False, ""),
        ([], True, "?readonly"),
        (["audit", "identity"], False, "?toolsets=audit,identity"),
        (["all"], True, "?toolsets=all&readonly"),
    ],
)
@pytest.mark.parametrize("name", ["open", "sign_in", "signed"])
def test_the_console_shows_what_make_agents_writes(name: str, toolsets: list[str], readonly: bool, query: str) -> None:
    doors: dict[str, Door] = {
        "open": OpenDoor(f"http://localhost:3099/mcp{query}"),
        "sign_in": OpenDoor(f"{ORIGIN}/mcp{query}", "agent-client"),
        "signed": SignedDoor(f"{SIGNED}{query}", "eu-west-1"),
    }
    written = {str(path): text for path, text in configurations(doors[name]).items()}
    assert shown(name, toolsets, readonly) == {"files": written, "inspection": inspection(doors[name])}


def shown(door: str, toolsets: list[str], readonly: bool) -> JsonValue:
    """Fill the templates in as the console does."""
    asked = {
        "templates": json.loads(agent_templates.TARGET.read_text(encoding="utf-8")),
        "config": config_of(signs_in=door != "open"),
        "door": door,
        "choices": {"toolsets": toolsets, "readonly": readonly},
    }
    code = (ROOT / "frontend" / "src" / "pages" / "connect" / "filling.ts").as_uri()
    done = subprocess.run(
        [NODE, "--input-type=module", "--eval", PROGRAM, code],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
    )
    told: JsonValue = json.loads(done.stdout)
    return told
