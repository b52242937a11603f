"""What is kept of a host: within its process, to come back to, and beyond it, to go on from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from infra.local.engine.state import Snapshot as EngineSnapshot
    from infra.local.engine.state import Unfinished
    from infra.local.identities import Identity


@dataclass(frozen=True)
class HostSnapshot:
    """Everything a host remembered at one moment."""

    world: bytes
    engine: EngineSnapshot
    undelivered: bytes


@dataclass(frozen=True)
class HostImage:
    """What another process needs to be this host: plain data, with the executions that run as requests to start them.

    Ended executions are not in it, nor what lived for minutes only, such as tokens of service accounts.
    """

    region: str
    time: float
    person_token: str
    page_token_key: str
    world: bytes
    engine: Mapping[str, bytes]
    identities: tuple[dict[str, Identity], int]
    undelivered: bytes
    unfinished: tuple[Unfinished, ...]
