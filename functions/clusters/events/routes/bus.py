"""What bus events do: they are recorded, they revise conditions, they wake the stages that wait, they end operations.

Everything here may happen twice and in any order. A repeat does all of it again, because the delivery before may have
died half-way; each write is conditional, and a stage that is woken for nothing looks once and waits on.
Conditions are revised before the event is recorded: its stream tells whoever watches, and they read the cluster then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aws_lambda_powertools import Logger
from botocore.exceptions import BotoCoreError, ClientError

from functions.aws import hyperpod_events
from functions.clusters.events import rules
from functions.clusters.events.models import (
    CLUSTER_EVENT,
    EXECUTION_STATUS,
    NODE_HEALTH,
    STACK_STATUS,
    STATE_CHANGE,
    BusEvent,
    ExecutionStatus,
    LoggedEvent,
    NodeHealthChange,
    StackStatus,
    StateChange,
)
from functions.core import catalogue, ledger
from functions.core.errors import DeploymentFault, NotFound
from functions.core.ledger import cluster_events, conditions
from functions.core.ledger.clusters import operations_at, tag_of_hyperpod_cluster, tag_of_stack
from functions.core.ledger.items import instant

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from functions.core.observations import ClusterEvent, ObservedCondition

logger = Logger(service="events")


def receive(event: BusEvent) -> None:
    """Do what an event asks for; one about what is not ours is left aside.

    Raises what DynamoDB or Step Functions refuse, so that the delivery is repeated.
    """
    act = _ACTIONS.get(event.detail_type)
    if act is None:
        logger.warning("a rule sent what nobody reads", extra={"detail_type": event.detail_type})
    else:
        act(event)


def _state_change(event: BusEvent) -> None:
    change = StateChange.model_validate(event.detail)
    tag = tag_of_hyperpod_cluster(change.cluster_name)
    if tag is None:
        return

    def revision(standing: ObservedCondition | None) -> ObservedCondition | None:
        return rules.in_service(standing, event, change)

    conditions.revise(tag, rules.IN_SERVICE, revision)
    cluster_events.record(rules.of_state_change(event, tag, change, instant()))
    _wake_those_waiting(tag, event.source)


def _node_health(event: BusEvent) -> None:
    change = NodeHealthChange.model_validate(event.detail)
    tag = tag_of_hyperpod_cluster(change.cluster_name)
    if tag is None:
        return

    def revision(standing: ObservedCondition | None) -> ObservedCondition | None:
        return rules.nodes_healthy(standing, event, change)

    conditions.revise(tag, rules.NODES_HEALTHY, revision)
    cluster_events.record(rules.of_node_health(event, tag, change, instant()))
    _wake_those_waiting(tag, event.source)


def _logged_event(event: BusEvent) -> None:
    """Keep an entry of the event log."""
    logged = LoggedEvent.model_validate(event.detail)
    tag = tag_of_hyperpod_cluster(logged.event_details.cluster_name)
    if tag is None:
        return
    if (instance_id := rules.gone_instance(logged.event_details)) is not None:

        def revision(standing: ObservedCondition | None) -> ObservedCondition | None:
            return rules.without_node(standing, event, instance_id)

        conditions.revise(tag, rules.NODES_HEALTHY, revision)
    record = rules.of_logged_event(tag, logged, instant())
    cluster_events.record(_with_cause(record, logged.event_details.cluster_name))
    if rules.is_awaited(logged.event_details):
        _wake_those_waiting(tag, event.source)


def _with_cause(record: ClusterEvent, cluster: str) -> ClusterEvent:
    """Ask for the cause of a failure that came without one; an event is kept without it rather than not at all."""
    if record.level != "Error" or record.cause is not None:
        return record
    try:
        return rules.with_cause(record, hyperpod_events.failure_of_event(cluster, record.event_id))
    except (ClientError, BotoCoreError) as error:
        logger.warning("kept without its cause", exc_info=error, extra={"event_id": record.event_id})
        return record


def _stack_status(event: BusEvent) -> None:
    tag = tag_of_stack(StackStatus.model_validate(event.detail).stack_name)
    if tag is not None:
        _wake_those_waiting(tag, event.source)


def _execution_status(event: BusEvent) -> None:
    """End the operation of an execution that has ended, as the sweeper would, only at once."""
    ended = ExecutionStatus.model_validate(event.detail)
    if ended.is_of_a_stage:  # the rule lets all our state machines through, and only pipelines end operations
        return
    try:
        healed = ledger.close_ended(ended.name, ended.execution_arn)
    except (NotFound, ledger.StaleWorker):  # none of ours, or somebody else closes it at this moment
        return
    if healed is not None:
        logger.warning("closed", extra={"operation_id": healed.operation_id, "healing": healed.detail})


def _wake_those_waiting(tag: str, source: str) -> None:
    """Let the stages look that wait for what the source tells of."""
    for operation_id in operations_at(tag):
        for record, token in ledger.await_tokens(operation_id).items():
            if source in _sources_of(record):
                ledger.wake(token)


def _sources_of(record: str) -> Sequence[str]:
    """Name the sources that wake a stage, by its record `stage#<number>#<phase>#<name>`."""
    try:
        return catalogue.stage(record.split("#", 3)[3]).woken_by
    except DeploymentFault:  # an earlier release began it and this one has no such stage: it looks by itself
        return ()


_ACTIONS: Final[Mapping[str, Callable[[BusEvent], None]]] = {
    STATE_CHANGE: _state_change,
    NODE_HEALTH: _node_health,
    CLUSTER_EVENT: _logged_event,
    STACK_STATUS: _stack_status,
    EXECUTION_STATUS: _execution_status,
}
