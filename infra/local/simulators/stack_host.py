"""What the CloudFormation simulator needs of its host."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from botocore.client import BaseClient

    from infra.local.simulators.bus_event import BusEvent
    from infra.local.simulators.service import JsonObject


def nobody(_: BusEvent) -> None:
    """Hear nothing."""


@dataclass(frozen=True)
class StackHost:
    """What the simulator needs of its host: clients of the other services, and the event bus."""

    client: Callable[[str], BaseClient]
    account_id: str
    region: str
    publish: Callable[[BusEvent], None] = nobody

    def ask(self, service: str, method: str, **arguments: object) -> JsonObject:
        """Call another service."""
        answer: JsonObject = getattr(self.client(service), method)(**arguments)
        return answer
