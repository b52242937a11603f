"""The programs that are registered with the sign-in, as infra/host/sign_in.py registers them with Cognito."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from functions.core.groups import SCOPES_OF_MACHINES
from infra.host.addresses import AGENT_CALLBACK, Clients, api_scopes, mcp_scopes

if TYPE_CHECKING:
    from pathlib import Path

MACHINE: Final = "machine-client.json"
IDS: Final = Clients(console="local-console", agent="local-agent", machine="local-machine")
_DAY: Final = 24 * 60 * 60


@dataclass(frozen=True)
class Client:
    """One program: what it may ask for, where answers for it go, and whether it has a secret of its own."""

    id: str
    scopes: tuple[str, ...]
    callback: str | None = None
    secret: str | None = None
    refresh_seconds: int = _DAY


def registered(origin: str, machine_secret: str) -> dict[str, Client]:
    """List the programs by id; `origin` is where people find the deployment."""
    machine = tuple(scope for scope in api_scopes() if scope.rpartition("/")[2] in SCOPES_OF_MACHINES)
    clients = (
        Client(IDS.console, ("openid", *api_scopes()), f"{origin}/"),
        Client(IDS.agent, tuple(mcp_scopes(origin)), AGENT_CALLBACK, refresh_seconds=30 * _DAY),
        Client(IDS.machine, machine, secret=machine_secret),
    )
    return {each.id: each for each in clients}


def kept_secret(directory: Path) -> str:
    """Give the secret that machines of this host sign in with, made when there is none yet; its file is the owner's."""
    path = directory / MACHINE
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(json.dumps({"client_id": IDS.machine, "client_secret": secrets.token_urlsafe(32)}) + "\n")
    return str(json.loads(path.read_text(encoding="utf-8"))["client_secret"])
