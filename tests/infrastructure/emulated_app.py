"""Our CDK app as the emulator takes it: `cdk deploy --app "python -m tests.infrastructure.emulated_app"`.

The context `emulator` is its address. What is other than on AWS is here and nowhere else; README.md says why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aws_cdk import App
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cognito as cognito
from aws_cdk import aws_lambda as lambda_

from functions.core.runtime import Patience
from infra import assets
from infra.host.context import KEY, Context
from infra.host.shipment import shipment
from infra.host.stack import InstantStart
from infra.host.web_socket import STAGE, posting
from infra.shapes import Weight
from infra.topology import TOPOLOGY

if TYPE_CHECKING:
    from pathlib import Path

    from infra.host.context import Architecture

EMULATOR: Final = "emulator"
_SECONDS: Final = 150


class OfThisPython:
    """The assets of a deployment, with layers for the Python and the processor that the emulator runs on."""

    HELM_PROGRAM = assets.HELM_PROGRAM

    def code(self) -> Path:
        """Give the code, the same as everywhere."""
        return assets.code()

    def layer(self, weight: Weight, architecture: Architecture) -> Path:
        """Give a class's packages for this machine, whatever the architecture."""
        assert architecture == "x86_64"
        return assets.twin(weight)


def main() -> None:
    """Synthesise the whole stack, and change what the emulator does not know."""
    app = App(analytics_reporting=False)
    context = Context.of(app.node.try_get_context(KEY))
    shipped = shipment(context.charts)
    stack = InstantStart(app, topology=TOPOLOGY, context=context, packages=OfThisPython(), shipment=shipped)
    _leave_out_styles(stack)
    _simplify_alarms(stack)
    _be_patient(stack)
    _lead_posts_back(stack, str(app.node.try_get_context(EMULATOR)))
    app.synth()


def _leave_out_styles(stack: InstantStart) -> None:
    """Leave out the looks of sign-in pages: the emulator refuses a template that has any."""
    for each in stack.node.find_all():
        if isinstance(each, cognito.CfnManagedLoginBranding) and each.node.scope:
            each.node.scope.node.try_remove_child(each.node.id)


def _simplify_alarms(stack: InstantStart) -> None:
    """Let alarms look at one metric: the emulator refuses those that compute."""
    for each in stack.node.find_all():
        if isinstance(each, cloudwatch.CfnAlarm) and each.metric_name is None:
            each.add_property_deletion_override("Metrics")
            simple = {"Namespace": "AWS/Lambda", "MetricName": "Errors", "Statistic": "Sum", "Period": 300}
            for name, value in simple.items():
                each.add_property_override(name, value)


def _be_patient(stack: InstantStart) -> None:
    """Let functions take longer and wait longer for AWS: a busy machine gives the emulator less than AWS has."""
    for name in stack.functions.by_name:
        _override(stack, name, "Timeout", _SECONDS)
        _override(stack, name, "Environment.Variables.AWS_PATIENCE", Patience.STAGE.value)


def _lead_posts_back(stack: InstantStart, emulator: str) -> None:
    """Tell functions that post to connections where those are: the address of a stage is always AWS's own."""
    address = f"{emulator}/_aws/execute-api/{stack.edge.web_socket.id}/{STAGE}"
    for name in posting(TOPOLOGY):
        _override(stack, name, "Environment.Variables.CONNECTIONS_ENDPOINT", address)


def _override(stack: InstantStart, function: str, path: str, value: str | int) -> None:
    made = stack.functions.by_name[function].node.default_child
    assert isinstance(made, lambda_.CfnFunction)
    made.add_property_override(path, value)


if __name__ == "__main__":
    main()
