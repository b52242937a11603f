"""One invocation of a function: its deadline, and whether its worker is still alive."""

from __future__ import annotations

import uuid
from contextvars import ContextVar
from dataclasses import dataclass, field

from infra.local.clock import Clock


class WorkerKilled(BaseException):
    """The worker is gone; no handler and no `finally` of the invocation may do anything any more."""


@dataclass
class Invocation:
    """The Lambda context of one invocation, on the host's clock."""

    function_name: str
    invoked_function_arn: str
    memory_limit_in_mb: int
    clock: Clock
    deadline: float
    aws_request_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    function_version: str = "$LATEST"
    dead: bool = False

    @property
    def log_group_name(self) -> str:
        """Name the function's log group."""
        return f"/aws/lambda/{self.function_name}"

    @property
    def log_stream_name(self) -> str:
        """Name the stream of this execution environment."""
        return f"local/[{self.function_version}]{self.aws_request_id}"

    def get_remaining_time_in_millis(self) -> int:
        """Say how long the function may still run."""
        return max(0, int((self.deadline - self.clock.time()) * 1000))

    def check_alive(self) -> None:
        """Raise WorkerKilled when the worker was killed or ran out of time."""
        if self.dead:
            raise WorkerKilled(self.function_name)

    def kill(self) -> None:
        """Kill the worker at this very point."""
        self.dead = True
        raise WorkerKilled(self.function_name)


current: ContextVar[Invocation | None] = ContextVar("invocation", default=None)


def check_alive() -> None:
    """Raise WorkerKilled when the calling thread is an invocation whose worker is gone."""
    invocation = current.get()
    if invocation is not None:
        invocation.check_alive()


def kill() -> None:
    """Kill the calling thread's worker at this very point, if it is one."""
    invocation = current.get()
    if invocation is not None:
        invocation.kill()
