"""Step Functions as the ledger uses it: one execution per operation, named after it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from functions.core import runtime

if TYPE_CHECKING:
    from types_boto3_stepfunctions.literals import ExecutionStatusType

    from functions.core.ledger.models import Operation


@dataclass(frozen=True)
class Execution:
    """How an execution stands, with what it says about its end."""

    arn: str
    status: ExecutionStatusType
    error: str | None = None
    cause: str | None = None

    @property
    def ended(self) -> bool:
        """Say whether the execution does nothing any more."""
        return self.status not in ("RUNNING", "PENDING_REDRIVE")


def start(operation: Operation) -> None:
    """Start the operation's execution; one that exists counts as started. Raise the client's own errors."""
    client = runtime.client("stepfunctions")
    try:
        client.start_execution(
            stateMachineArn=f"{runtime.environment()['STATE_MACHINE_PREFIX']}{operation.kind}",
            name=operation.operation_id,
            input=json.dumps({"operation_id": operation.operation_id}),
        )
    except client.exceptions.ExecutionAlreadyExists:
        return


def describe(operation: Operation) -> Execution | None:
    """Describe the operation's execution, None when it never started. Raise the client's own errors."""
    client = runtime.client("stepfunctions")
    arn = execution_arn(operation)
    try:
        answer = client.describe_execution(executionArn=arn)
    except client.exceptions.ExecutionDoesNotExist:
        return None
    return Execution(arn, answer["status"], answer.get("error"), answer.get("cause"))


def wake(token: str) -> bool:
    """End a stage's wait now, and say whether it still waited. Raise the client's own errors."""
    client = runtime.client("stepfunctions")
    try:
        client.send_task_success(taskToken=token, output="{}")
    except (client.exceptions.TaskTimedOut, client.exceptions.TaskDoesNotExist, client.exceptions.InvalidToken):
        # It went on by itself, and looks without being told.
        return False
    return True


def execution_arn(operation: Operation) -> str:
    """Derive the ARN of the operation's execution from the state machines' prefix."""
    prefix = runtime.environment()["STATE_MACHINE_PREFIX"].replace(":stateMachine:", ":execution:", 1)
    return f"{prefix}{operation.kind}:{operation.operation_id}"
