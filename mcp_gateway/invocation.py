"""What one request to the gateway is: for whom, with which choices, and until when it has to be answered."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from functions.core.caller import Claim
    from mcp_gateway.selection import Selection


@dataclass(frozen=True)
class Invocation:
    """One request; `context` is Lambda's."""

    claim: Claim
    selection: Selection
    context: LambdaContext

    def seconds_left(self) -> float:
        """Give the seconds until this invocation is stopped."""
        return self.context.get_remaining_time_in_millis() / 1000


current: ContextVar[Invocation] = ContextVar("mcp_invocation")
