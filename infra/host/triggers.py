"""What calls functions beside requests: tables' streams, rules of the event bus, schedules."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_event_sources as event_sources
from constructs import Construct

from infra.topology import PREFIX, Topology
from infra.triggers import EventRule, Schedule, Stream

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aws_cdk import aws_dynamodb as dynamodb
    from aws_cdk import aws_sqs as sqs

    from infra.release import Place

# What changed an hour ago is news to nobody.
_OLDEST_CHANGE = Duration.hours(1)
# An event that a function was not there for is delivered within that time, or lies with the dead letters.
_DELIVERY = events.CfnRule.RetryPolicyProperty(maximum_event_age_in_seconds=3600, maximum_retry_attempts=20)


class Triggers(Construct):
    """Everything that runs a function without a caller; each has a place for what could not be delivered."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        topology: Topology,
        place: Place,
        rules: Sequence[EventRule],
        functions: Mapping[str, lambda_.Function],
        tables: Mapping[str, dynamodb.TableV2],
        dead_letters: sqs.IQueue,
    ) -> None:
        super().__init__(scope, construct_id)
        self._functions = functions
        self._dead_letters = dead_letters
        for stream in topology.streams:
            self._add_stream(stream, tables[stream.table])
        for rule in rules:
            self._add_rule(rule)
        for schedule in topology.schedules:
            self._add_schedule(schedule)
        for name in sorted({rule.function for rule in rules} | {each.function for each in topology.schedules}):
            self._permit_rules(name, place)

    def _add_stream(self, stream: Stream, table: dynamodb.TableV2) -> None:
        self._functions[stream.function].add_event_source_mapping(
            f"stream-{stream.table}",
            event_source_arn=table.table_stream_arn,
            filters=[lambda_.FilterCriteria.filter(pattern) for pattern in stream.patterns],
            batch_size=stream.batch_size,
            retry_attempts=stream.maximum_retries,
            max_record_age=_OLDEST_CHANGE,
            bisect_batch_on_error=True,
            report_batch_item_failures=True,
            starting_position=lambda_.StartingPosition.TRIM_HORIZON,
            on_failure=event_sources.SqsDlq(self._dead_letters),
        )

    def _add_rule(self, rule: EventRule) -> None:
        events.CfnRule(
            self,
            rule.name,
            name=f"{PREFIX}{rule.name}",
            event_pattern=rule.pattern,
            targets=[self._target(rule.function)],
        )

    def _add_schedule(self, schedule: Schedule) -> None:
        events.CfnRule(
            self,
            schedule.name,
            name=f"{PREFIX}{schedule.name}",
            schedule_expression=_rate(schedule.every_seconds),
            targets=[self._target(schedule.function, {"source": "schedule", "action": schedule.payload})],
        )

    def _target(self, function: str, event: Mapping[str, str] | None = None) -> events.CfnRule.TargetProperty:
        return events.CfnRule.TargetProperty(
            id=function,
            arn=self._functions[function].function_arn,
            input=json.dumps(event) if event else None,
            retry_policy=_DELIVERY,
            dead_letter_config=events.CfnRule.DeadLetterConfigProperty(arn=self._dead_letters.queue_arn),
        )

    def _permit_rules(self, function: str, place: Place) -> None:
        """Let all rules run a function by one permission; there is room for few."""
        lambda_.CfnPermission(
            self,
            f"permission-{function}",
            action="lambda:InvokeFunction",
            function_name=self._functions[function].function_arn,
            principal="events.amazonaws.com",
            source_arn=place.arn("events", f"rule/{PREFIX}*"),
        )


def _rate(seconds: int) -> str:
    """Write an interval as EventBridge has it; raises ValueError for one that it cannot keep."""
    minutes, rest = divmod(seconds, 60)
    if rest or not minutes:
        raise ValueError(f"a schedule runs every {seconds} s, and EventBridge counts whole minutes: choose those.")
    return "rate(1 minute)" if minutes == 1 else f"rate({minutes} minutes)"
