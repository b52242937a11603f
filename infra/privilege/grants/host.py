"""Grants on what every function and state machine needs because of where it runs, whatever it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.core.ledger.tables import OPERATIONS
from infra.privilege.documents import Condition, Effect, Statement
from infra.privilege.grant import Grant, named
from infra.privilege.grants.workflows import STAGE_MACHINE
from infra.release import function_name, log_group
from infra.topology import PREFIX

if TYPE_CHECKING:
    from infra.release import Place
    from infra.shapes import Function, StateMachine
    from infra.topology import Topology

_OPERATIONS_FUNCTION: Final = "operations"
# The rule that Step Functions makes to learn the end of an execution that another one waits for.
_MANAGED_RULE: Final = "StepFunctionsGetEventsForStepFunctionsExecutionRule"
# None of these is for a resource. Source: AWS Step Functions developer guide, "Using CloudWatch Logs to log execution
# history" and "Trace Step Functions request data in AWS X-Ray".
_DELIVER_LOGS: Final = (
    "logs:CreateLogDelivery",
    "logs:DeleteLogDelivery",
    "logs:DescribeLogGroups",
    "logs:DescribeResourcePolicies",
    "logs:GetLogDelivery",
    "logs:ListLogDeliveries",
    "logs:PutResourcePolicy",
    "logs:UpdateLogDelivery",
)
_INTERFACES: Final = (
    "ec2:AssignPrivateIpAddresses",
    "ec2:CreateNetworkInterface",
    "ec2:DeleteNetworkInterface",
    "ec2:UnassignPrivateIpAddresses",
)
TRACE: Final = ("xray:PutTelemetryRecords", "xray:PutTraceSegments")
_SAMPLE: Final = ("xray:GetSamplingRules", "xray:GetSamplingTargets")


def of_function(place: Place, function: Function) -> tuple[Grant, ...]:
    """Give what Lambda does in a function's name: it writes its log and its traces."""
    streams = named(place, "logs", f"log-group:{log_group(function.name)}:log-stream:*")
    return (
        Grant("WriteLog", ("logs:CreateLogStream", "logs:PutLogEvents"), streams),
        Grant("WriteTraces", TRACE, ("*",)),
    )


def of_network(place: Place, function: Function) -> tuple[Statement, ...]:
    """Give what Lambda does in the name of a function that stands in subnets; its code may do none of that.

    Source: AWS Lambda developer guide, "Giving Lambda functions access to resources in an Amazon VPC": it makes and
    deletes interfaces of any id, for no id is known before; there, too, the denial by the function's own ARN.
    """
    itself = Condition(
        "ArnEquals", "lambda:SourceFunctionArn", named(place, "lambda", f"function:{function_name(function.name)}")
    )
    return (
        Statement("StandInSubnets", _INTERFACES, named(place, "ec2", "*/*")),
        Statement("LookAtSubnets", ("ec2:DescribeNetworkInterfaces", "ec2:DescribeSubnets"), ("*",)),
        Statement("NoInterfacesOfOwn", _INTERFACES, ("*",), (itself,), Effect.DENY),
    )


def of_machine(topology: Topology, place: Place, machine: StateMachine) -> tuple[Grant, ...]:
    """Give what a state machine does: it runs functions, and stages' executions or a wait in the ledger."""
    functions = named(place, "lambda", *(f"function:{function_name(name)}" for name in _run_by(topology, machine)))
    own = _of_stage(place) if machine.name == STAGE_MACHINE else _of_pipeline(place)
    return (
        Grant("RunFunctions", ("lambda:InvokeFunction",), functions),
        *own,
        Grant("DeliverLogs", _DELIVER_LOGS, ("*",)),
        Grant("WriteTraces", (*TRACE, *_SAMPLE), ("*",)),
    )


def _run_by(topology: Topology, machine: StateMachine) -> list[str]:
    """Name the functions that a machine runs: pipelines only those that begin and end operations."""
    staged = {stage.function for stage in topology.stages} if machine.name == STAGE_MACHINE else set[str]()
    return sorted({_OPERATIONS_FUNCTION, *staged})


def _of_stage(place: Place) -> tuple[Grant, ...]:
    operations = named(place, "dynamodb", f"table/{PREFIX}{OPERATIONS.name}")
    return (Grant("StoreToken", ("dynamodb:UpdateItem",), operations),)


def _of_pipeline(place: Place) -> tuple[Grant, ...]:
    stage = f"{PREFIX}{STAGE_MACHINE}"
    rule = ("events:DescribeRule", "events:PutRule", "events:PutTargets")
    looks = ("states:DescribeExecution", "states:StopExecution")
    return (
        Grant("StartStages", ("states:StartExecution",), named(place, "states", f"stateMachine:{stage}")),
        Grant("AwaitStages", looks, named(place, "states", f"execution:{stage}:*")),
        Grant("HearOfStages", rule, named(place, "events", f"rule/{_MANAGED_RULE}")),
    )
