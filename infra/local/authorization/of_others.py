"""What IAM is asked for calls of the services that have few, from executions and functions to keys and sockets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from infra.local.authorization.asking import Unknown
from infra.local.authorization.evaluation import Asked

if TYPE_CHECKING:
    from infra.local.authorization.live import Live
    from infra.local.authorization.parsing import Call

Asking: TypeAlias = "Callable[[Call, Live], Iterator[Asked]]"
_METHODS: Final = {"DeleteConnection": "DELETE", "GetConnection": "GET", "PostToConnection": "POST"}


def asked_of_states(call: Call, _: Live) -> Iterator[Asked]:
    """Say what is asked for a call of Step Functions."""
    if call.operation == "StartExecution":
        yield Asked("states:StartExecution", call.text("stateMachineArn"))
    elif call.operation in ("DescribeExecution", "StopExecution"):
        yield Asked(f"states:{call.operation}", call.text("executionArn"))
    elif call.operation in ("SendTaskSuccess", "SendTaskFailure", "SendTaskHeartbeat"):
        yield Asked(f"states:{call.operation}", "*")
    else:
        raise Unknown(call.operation)


def awaiting(machine: str, live: Live) -> Iterator[Asked]:
    """Ask for what a state machine needs to wait for an execution that it starts; it hears of the end by a rule.

    Source: Step Functions developer guide, "IAM policies for calling nested workflow executions".
    """
    executions = f"{machine.replace(':stateMachine:', ':execution:')}:child"
    yield from (Asked(f"states:{each}", executions) for each in ("DescribeExecution", "StopExecution"))
    rule = live.place.arn("events", "rule/StepFunctionsGetEventsForStepFunctionsExecutionRule")
    yield from (Asked(f"events:{each}", rule) for each in ("DescribeRule", "PutRule", "PutTargets"))


def asked_of_lambda(call: Call, live: Live) -> Iterator[Asked]:
    """Say what is asked for a call of Lambda."""
    if call.operation != "Invoke":
        raise Unknown(call.operation)
    name = call.text("FunctionName")
    yield Asked(
        "lambda:InvokeFunction", name if name.startswith("arn:") else live.place.arn("lambda", f"function:{name}")
    )


def asked_of_sts(call: Call, _: Live) -> Iterator[Asked]:
    """Say what is asked for a call of STS: nobody needs leave to ask who they are."""
    if call.operation == "AssumeRole":
        yield Asked("sts:AssumeRole", call.text("RoleArn"))
    elif call.operation not in ("GetCallerIdentity", "AssumeRoleWithWebIdentity"):
        raise Unknown(call.operation)


def asked_of_quotas(call: Call, live: Live) -> Iterator[Asked]:
    """Say what is asked for a call of Service Quotas."""
    if call.operation == "ListServiceQuotas":
        yield Asked("servicequotas:ListServiceQuotas", "*")
    elif call.operation == "GetServiceQuota":
        quota = f"{call.text('ServiceCode')}/{call.text('QuotaCode')}"
        yield Asked("servicequotas:GetServiceQuota", live.place.arn("servicequotas", quota))
    else:
        raise Unknown(call.operation)


def asked_of_logs(call: Call, live: Live) -> Iterator[Asked]:
    """Say what is asked for a call of CloudWatch Logs."""
    if call.operation == "DescribeLogGroups":
        yield Asked("logs:DescribeLogGroups", "*")
    elif call.operation == "GetLogEvents":
        stream = f"{call.text('logGroupName')}:log-stream:{call.text('logStreamName')}"
        yield Asked("logs:GetLogEvents", live.place.arn("logs", f"log-group:{stream}"))
    else:
        raise Unknown(call.operation)


def asked_of_secrets(call: Call, _: Live) -> Iterator[Asked]:
    """Say what is asked for a call of Secrets Manager: by its name alone nobody knows the ARN of a secret."""
    if call.operation != "GetSecretValue" or not call.text("SecretId").startswith("arn:"):
        raise Unknown(f"{call.operation} of {call.text('SecretId')}")
    yield Asked("secretsmanager:GetSecretValue", call.text("SecretId"))


def asked_of_topics(call: Call, _: Live) -> Iterator[Asked]:
    """Say what is asked for a call of SNS."""
    if call.operation != "Publish":
        raise Unknown(call.operation)
    yield Asked("sns:Publish", call.text("TopicArn"))


def asked_of_connections(call: Call, live: Live) -> Iterator[Asked]:
    """Say what is asked for a call to a connection of a WebSocket API."""
    if call.operation not in _METHODS:
        raise Unknown(call.operation)
    path = f"{call.text('Stage')}/{_METHODS[call.operation]}/@connections/{call.text('ConnectionId')}"
    yield Asked("execute-api:ManageConnections", live.place.arn("execute-api", f"local/{path}"))


OTHERS: Final[Mapping[str, Asking]] = {
    "execute-api": asked_of_connections,
    "lambda": asked_of_lambda,
    "logs": asked_of_logs,
    "secretsmanager": asked_of_secrets,
    "servicequotas": asked_of_quotas,
    "sns": asked_of_topics,
    "states": asked_of_states,
    "sts": asked_of_sts,
}
