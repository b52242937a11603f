"""State machines of a test's own on the host's Step Functions."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

from infra.local.host import LocalHost

Json = dict[str, Any]
# No role of the deployment: what machines of tests do is in nobody's policy.
ROLE = "arn:aws:iam::123456789012:role/of-tests"
END = {"Type": "Succeed"}
LOOK_EVERY_SECONDS = 30
_NUMBERS = itertools.count()


class Interpreter:
    """State machines of a test's own on the host's Step Functions."""

    def __init__(self, host: LocalHost) -> None:
        self.host = host
        self.client = host.client("stepfunctions")

    def machine(self, states: Json, **rest: object) -> str:
        definition = {"QueryLanguage": "JSONata", "StartAt": next(iter(states)), "States": states, **rest}
        name = f"contract-{next(_NUMBERS)}"
        made = self.client.create_state_machine(name=name, definition=json.dumps(definition), roleArn=ROLE)
        return made["stateMachineArn"]

    def start(self, machine: str, given: object = None, **rest: str) -> str:
        started = self.client.start_execution(stateMachineArn=machine, input=json.dumps(given or {}), **rest)
        return started["executionArn"]

    def end(self, execution: str, within: float = 1e6) -> Json:
        give_up = self.host.clock.time() + within
        while self.host.clock.time() < give_up:
            found: Json = {**self.client.describe_execution(executionArn=execution)}
            if found["status"] != "RUNNING":
                return found
            self.host.clock.sleep(LOOK_EVERY_SECONDS)
        raise AssertionError(f"{execution} still runs")

    def run(self, states: Json, given: object = None, **rest: object) -> Json:
        return self.end(self.start(self.machine(states, **rest), given))

    def output(self, states: Json, given: object = None) -> object:
        found = self.run(states, given)
        assert found["status"] == "SUCCEEDED", found
        return json.loads(found["output"])


def invoke(**rest: object) -> Json:
    task = {"Type": "Task", "Resource": "arn:aws:states:::lambda:invoke", "End": True}
    return {**task, "Arguments": {"FunctionName": "f", "Payload": {}}, **rest}


def await_token(**rest: object) -> Json:
    """A task that leaves its token in the table and waits, as the stage machine does."""
    arguments = {
        "TableName": "instantstart-operations",
        "Item": {"operation_id": {"S": "token"}, "record": {"S": "{% $states.context.Task.Token %}"}},
    }
    resource = "arn:aws:states:::aws-sdk:dynamodb:putItem.waitForTaskToken"
    return {"Type": "Task", "Resource": resource, "Arguments": arguments, "End": True, **rest}


def token_of(sfn: Interpreter) -> str:
    condition, values = "operation_id = :o", {":o": {"S": "token"}}
    while True:
        found = sfn.host.client("dynamodb").query(
            TableName="instantstart-operations", KeyConditionExpression=condition, ExpressionAttributeValues=values
        )["Items"]
        if found:
            return found[-1]["record"]["S"]
        sfn.host.clock.sleep(0.1)


def took(sfn: Interpreter, work: Callable[[], Json]) -> tuple[Json, float]:
    with sfn.host.clock.busy():
        started = sfn.host.clock.time()
        found = work()
        return found, (found["stopDate"].timestamp() - started)


def caught(name: str) -> list[Json]:
    return [{"ErrorEquals": [name], "Next": "Caught", "Output": "{% $states.errorOutput %}"}]
