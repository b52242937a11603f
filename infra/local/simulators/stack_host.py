"""What the CloudFormation simulator needs of its host."""

from __future__ import annotations

from dataclasses import dataclass, replace
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
    """What the simulator needs of its host: clients of the other services, and the event bus.

    `client_of_role` gives clients that act under the role of a stack; without it all stacks act as the host does.
    """

    client: Callable[[str], BaseClient]
    account_id: str
    region: str
    publish: Callable[[BusEvent], None] = nobody
    client_of_role: Callable[[str, str], BaseClient] | None = None

    def acting_as(self, role_arn: str | None) -> StackHost:
        """Give the host as a stack with this role sees it."""
        of_role = self.client_of_role
        if of_role is None or not role_arn:
            return self
        return replace(self, client=lambda service: of_role(service, role_arn))

    def ask(self, service: str, method: str, **arguments: object) -> JsonObject:
        """Call another service."""
        answer: JsonObject = getattr(self.client(service), method)(**arguments)
        return answer
