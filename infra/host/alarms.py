"""Alarms: what needs a person although every operation says itself how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from constructs import Construct

from infra.topology import PREFIX, Topology

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aws_cdk import aws_lambda as lambda_
    from aws_cdk import aws_sns as sns
    from aws_cdk import aws_sqs as sqs

_PERIOD = Duration.minutes(5)
# A worker that is overtaken, and a call that is repeated, end with an error too: only many at once mean something.
_TROUBLE = 5
_MOST_BEHIND = Duration.minutes(5)
_LOST_EXECUTIONS = 3


class Alarms(Construct):
    """All alarms, and whom they tell; `add` is for those of other constructs."""

    all: list[cloudwatch.Alarm]

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        topology: Topology,
        functions: Mapping[str, lambda_.Function],
        dead_letters: sqs.IQueue,
        topic: sns.ITopic,
    ) -> None:
        super().__init__(scope, construct_id)
        self._told = actions.SnsAction(topic)
        self.all = []
        for name, function in functions.items():
            self._add_trouble(name, function)
        for name in sorted({stream.function for stream in topology.streams}):
            self._add_behind(name, functions[name])
        self._add_throttles()
        self._add_dead_letters(dead_letters)
        self._add_executions()
        self._add_sweeper()

    def add(
        self,
        name: str,
        description: str,
        metric: cloudwatch.IMetric,
        threshold: float,
        *,
        comparison: cloudwatch.ComparisonOperator = (cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD),
        periods: int = 1,
        bad_periods: int | None = None,
        silence_is_bad: bool = False,
    ) -> cloudwatch.Alarm:
        """Add an alarm that tells the topic when it begins and when it ends."""
        missing = cloudwatch.TreatMissingData
        alarm = cloudwatch.Alarm(
            self,
            name,
            alarm_name=f"{PREFIX}{name}",
            alarm_description=description,
            metric=metric,
            threshold=threshold,
            comparison_operator=comparison,
            evaluation_periods=periods,
            datapoints_to_alarm=bad_periods or periods,
            treat_missing_data=missing.BREACHING if silence_is_bad else missing.NOT_BREACHING,
        )
        alarm.add_alarm_action(self._told)
        alarm.add_ok_action(self._told)
        self.all.append(alarm)
        return alarm

    def add_door(self, name: str, api_id: str) -> cloudwatch.Alarm:
        """Add the alarm of an HTTP API that answers with faults of the deployment."""
        faults = cloudwatch.Metric(
            namespace="AWS/ApiGateway",
            metric_name="5xx",
            dimensions_map={"ApiId": api_id},
            statistic="sum",
            period=_PERIOD,
        )
        return self.add(
            f"{name}-faults",
            f"The door {name} answers with faults again and again: look at its access log and its functions.",
            faults,
            _TROUBLE,
            periods=3,
            bad_periods=2,
        )

    def _add_trouble(self, name: str, function: lambda_.Function) -> None:
        self.add(
            f"{name}-failing",
            f"The function {name} fails again and again: look at its log group.",
            function.metric_errors(period=_PERIOD),
            _TROUBLE,
            periods=3,
            bad_periods=2,
        )

    def _add_throttles(self) -> None:
        """Watch all functions of the account at once: the limit that they run into is the account's."""
        throttles = cloudwatch.Metric(namespace="AWS/Lambda", metric_name="Throttles", statistic="sum", period=_PERIOD)
        self.add(
            "functions-throttled",
            "Functions wait for each other: ask for a higher quota of concurrent executions of Lambda.",
            throttles,
            _TROUBLE,
            periods=3,
            bad_periods=2,
        )

    def _add_behind(self, name: str, function: lambda_.Function) -> None:
        age = function.metric("IteratorAge", statistic="max", period=_PERIOD)
        self.add(
            f"{name}-behind",
            f"The function {name} is minutes behind the changes that it tells: look at its log group.",
            age,
            _MOST_BEHIND.to_milliseconds(),
            periods=2,
        )

    def _add_dead_letters(self, queue: sqs.IQueue) -> None:
        waiting = queue.metric_approximate_number_of_messages_visible(statistic="max", period=_PERIOD)
        self.add(
            "dead-letters",
            "An event, a schedule or a change was given up: read the message, mend its cause, then purge the queue.",
            waiting,
            1,
        )

    def _add_executions(self) -> None:
        """Watch the rule that hears of executions that did not end well: one metric for all machines."""
        self.add(
            "executions-failing",
            "Operations fail one after the other: GET /api/operations?status=FAILED names their causes.",
            _runs_of("executions", Duration.minutes(15)),
            _LOST_EXECUTIONS,
        )

    def _add_sweeper(self) -> None:
        self.add(
            "sweeper-silent",
            "The sweeper has not run for a quarter of an hour, so lost operations stay lost: is its rule enabled?",
            _runs_of("sweeper", _PERIOD),
            1,
            comparison=cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD,
            periods=3,
            silence_is_bad=True,
        )


def _runs_of(rule: str, period: Duration) -> cloudwatch.Metric:
    return cloudwatch.Metric(
        namespace="AWS/Events",
        metric_name="Invocations",
        dimensions_map={"RuleName": f"{PREFIX}{rule}"},
        statistic="sum",
        period=period,
    )
