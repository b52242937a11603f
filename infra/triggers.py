"""What calls functions beside HTTP requests: schedules, tables' streams, the event bus, WebSockets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

Pattern = Mapping[str, object]
"""An event pattern of EventBridge as JSON; a stream's filter has the same form."""


@dataclass(frozen=True)
class Schedule:
    """A function that runs again and again."""

    name: str
    function: str
    every_seconds: int
    payload: str


@dataclass(frozen=True)
class SocketRoute:
    """One route of the WebSocket API, by its key; messages are told apart by nothing, so all go one way."""

    key: str
    function: str


@dataclass(frozen=True)
class Stream:
    """A table whose changes a function gets in batches, those that match one of the patterns.

    A batch of which a part failed is repeated from there on, at most `maximum_retries` times.
    """

    table: str
    function: str
    patterns: tuple[Pattern, ...]
    batch_size: int = 100
    maximum_retries: int = 10


@dataclass(frozen=True)
class EventRule:
    """A rule of the default event bus; the host fills in the `${…}` of its pattern, as for state machines."""

    name: str
    function: str
    pattern: Pattern


SCHEDULES = (
    Schedule("sweeper", "events", 60, "sweep"),
    # A day is exported once, an hour after its end at the earliest; a run that failed is made up for by the next.
    Schedule("audit_export", "audit", 6 * 3600, "export"),
    # A training plan's end is told a day ahead, and what stands still after two hours: an hour is exact enough.
    Schedule("notifications", "notifications", 3600, "look"),
)

SOCKET_ROUTES = tuple(SocketRoute(key, "connections") for key in ("$connect", "$disconnect", "$default"))

# Each change is a message of its own to all who watch its operation, its cluster, or everything. AWS tells hundreds of
# events at once while a large cluster comes up, and a function that could not run finds as many changes of operations:
# with forty consoles open, its minute would be over in the middle of a whole batch.
_TOLD_AT_ONCE: Final = 25

STREAMS = (
    # Every change of a stage changes its operation's record too.
    Stream(
        "operations",
        "push",
        (
            {"dynamodb": {"Keys": {"record": {"S": ["operation"]}}}},
            {"dynamodb": {"Keys": {"record": {"S": [{"prefix": "audit#"}]}}}},
        ),
        batch_size=_TOLD_AT_ONCE,
    ),
    Stream("cluster_events", "push", ({"eventName": ["INSERT"]},), batch_size=_TOLD_AT_ONCE),
    # DynamoDB lets two functions read a shard side by side: this is the second.
    Stream(
        "operations",
        "notifications",
        (
            {"dynamodb": {"Keys": {"record": {"S": ["operation"]}}, "NewImage": {"status": {"S": ["FAILED"]}}}},
            {
                "eventName": ["MODIFY"],
                "dynamodb": {
                    "Keys": {"record": {"S": [{"prefix": "stage#"}]}},
                    "OldImage": {"reason": {"S": ["WAITING_CAPACITY"]}},
                },
            },
        ),
    ),
    Stream(
        "cluster_events",
        "notifications",
        (
            {
                "eventName": ["INSERT"],
                "dynamodb": {"NewImage": {"kind": {"S": ["node_health"]}, "level": {"S": ["Error"]}}},
            },
        ),
    ),
)

# Statuses that end what a stage waits for, or begin its end; what merely goes on wakes nobody.
_STACK_NEWS = [{"suffix": "_COMPLETE"}, {"suffix": "_FAILED"}, "ROLLBACK_IN_PROGRESS"]

# The executions of pipelines end operations, those of stages do not.
EVENT_RULES = (
    EventRule(
        "hyperpod",
        "events",
        {
            "source": ["aws.sagemaker"],
            "detail-type": [
                "SageMaker HyperPod Cluster State Change",
                "SageMaker HyperPod Cluster Node Health Event",
                "SageMaker HyperPod Cluster Event",
            ],
        },
    ),
    EventRule(
        "stacks",
        "events",
        {
            "source": ["aws.cloudformation"],
            "detail-type": ["CloudFormation Stack Status Change"],
            "detail": {"status-details": {"status": _STACK_NEWS}},
        },
    ),
    EventRule(
        "executions",
        "events",
        {
            "source": ["aws.states"],
            "detail-type": ["Step Functions Execution Status Change"],
            "detail": {
                "status": ["FAILED", "TIMED_OUT", "ABORTED"],
                # A pattern has 2,048 characters, and the list of all pipelines comes near them; so the function leaves
                # aside the executions of stages.
                "stateMachineArn": [{"prefix": "${StateMachinePrefix}"}],
            },
        },
    ),
)
