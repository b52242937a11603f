"""The one dashboard: is it well, is it busy, is it slow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from infra.topology import PREFIX

if TYPE_CHECKING:
    from collections.abc import Sequence

    from infra.release import Place

_WIDTH: Final = 24
_HEIGHT: Final = 7
_WORD: Final = PREFIX.rstrip("-")


class Dashboard(Construct):
    """A page of CloudWatch; its graphs search for what bears our name, so they need no change with the topology."""

    name: str

    def __init__(
        self, scope: Construct, construct_id: str, *, alarms: Sequence[cloudwatch.IAlarm], place: Place
    ) -> None:
        super().__init__(scope, construct_id)
        # CloudWatch knows a dashboard's name once in an account.
        self.name = place.global_name(_WORD)
        dashboard = cloudwatch.Dashboard(self, "dashboard", dashboard_name=self.name)
        dashboard.add_widgets(
            cloudwatch.AlarmStatusWidget(title="Alarms", alarms=[*alarms], width=_WIDTH, height=4),
        )
        dashboard.add_widgets(
            _functions("Errors of functions", "Errors", "Sum"),
            _functions("Slowest runs of functions, ms", "Duration", "Maximum"),
            _functions("Runs of functions", "Invocations", "Sum"),
        )
        dashboard.add_widgets(
            _machines("Executions begun", "ExecutionsStarted"),
            _machines("Executions failed", "ExecutionsFailed"),
            _tables("Requests throttled by tables", "ThrottledRequests"),
        )


def _functions(title: str, metric: str, statistic: str) -> cloudwatch.GraphWidget:
    return _graph(title, f'{{AWS/Lambda,FunctionName}} MetricName="{metric}" {_WORD}', statistic)


def _machines(title: str, metric: str) -> cloudwatch.GraphWidget:
    return _graph(title, f'{{AWS/States,StateMachineArn}} MetricName="{metric}" {_WORD}')


def _tables(title: str, metric: str) -> cloudwatch.GraphWidget:
    return _graph(title, f'{{AWS/DynamoDB,TableName,Operation}} MetricName="{metric}" {_WORD}')


def _graph(title: str, search: str, statistic: str = "Sum") -> cloudwatch.GraphWidget:
    found = cloudwatch.MathExpression(expression=f"SEARCH('{search}', '{statistic}', 300)", using_metrics={}, label="")
    return cloudwatch.GraphWidget(title=title, left=[found], width=_WIDTH // 3, height=_HEIGHT)
