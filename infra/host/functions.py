"""The Lambda functions, with one code asset for all and one layer for each class of packages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from aws_cdk import Duration
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_destinations as destinations
from constructs import Construct

from functions.core.signing import SECRETS
from infra.host.acknowledged import acknowledge_python
from infra.host.logs import log_group
from infra.release import function_name, own_environment
from infra.shapes import Function, Weight
from infra.topology import Topology

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from aws_cdk import aws_iam as iam
    from aws_cdk import aws_sqs as sqs

    from infra.host.context import Architecture, Context, Egress
    from infra.release import Place

_ARCHITECTURES = {"arm64": lambda_.Architecture.ARM_64, "x86_64": lambda_.Architecture.X86_64}
# What an event or a schedule asks for is late after that: polling has found it, or the next schedule does it.
_LATEST = Duration.hours(1)
_RETRIES = 2
NEWEST = "newest"


class Packages(Protocol):
    """What functions are deployed with, as zip archives that are the same byte for byte each time."""

    @property
    def HELM_PROGRAM(self) -> str:  # a module is what gives it
        """Say where a function of the class `helm` finds the program."""

    def code(self) -> Path:
        """Give the archive of the product's own code."""

    def layer(self, weight: Weight, architecture: Architecture) -> Path:
        """Give the archive of a class's packages, for one kind of processor."""


class Functions(Construct):
    """All functions of the topology, by name; whoever knows a further setting adds it with `add_environment`."""

    by_name: Mapping[str, lambda_.Function]

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        topology: Topology,
        context: Context,
        place: Place,
        packages: Packages,
        roles: Mapping[str, iam.IRole],
        environment: Mapping[str, str],
        signing_keys: str,
        dead_letters: sqs.IQueue,
    ) -> None:
        super().__init__(scope, construct_id)
        self._topology = topology
        self._context = context
        self._place = place
        self._packages = packages
        self._roles = roles
        self._environment = environment
        self._signing_keys = signing_keys
        self._dead_letters = destinations.SqsDestination(dead_letters)
        self._code = lambda_.Code.from_asset(str(packages.code()))
        self._layers: dict[tuple[Weight, Architecture], lambda_.LayerVersion] = {}
        self.by_name = {each.name: self._add(each) for each in topology.functions}

    def _add(self, function: Function) -> lambda_.Function:
        name = function_name(function.name)
        architecture = _architecture(function, self._context)
        unattended = function.name in self._topology.unattended()
        made = lambda_.Function(
            self,
            function.name,
            function_name=name,
            description=function.purpose,
            code=self._code,
            handler=function.handler,
            runtime=lambda_.Runtime.PYTHON_3_13,
            architecture=_ARCHITECTURES[architecture],
            layers=[self._layer(function.weight, architecture)],
            role=self._roles[function.name],
            timeout=Duration.seconds(function.timeout_seconds),
            memory_size=function.memory_megabytes,
            environment=self._settings(function),
            tracing=lambda_.Tracing.ACTIVE,
            logging_format=lambda_.LoggingFormat.JSON,
            log_group=log_group(self, f"{function.name}-log", f"/aws/lambda/{name}", self._context.log_retention_days),
            snap_start=lambda_.SnapStartConf.ON_PUBLISHED_VERSIONS if function.snapshot else None,
            reserved_concurrent_executions=self._context.reserved_concurrency.get(function.name),
            # Whoever waits for an answer decides itself whether to ask again.
            retry_attempts=_RETRIES if unattended else 0,
            max_event_age=_LATEST if unattended else None,
            on_failure=self._dead_letters if unattended else None,
        )
        acknowledge_python(made)
        if function.calls_clusters and self._context.egress:
            _place_in_subnets(made, self._context.egress)
        return made

    def answering(self) -> dict[str, lambda_.IFunction]:
        """Give what APIs call: the function itself, or its newest version where only versions have a snapshot."""
        declared = [each for each in self._topology.functions if each.snapshot]
        return {**self.by_name, **{each.name: self._alias(self.by_name[each.name]) for each in declared}}

    def _alias(self, function: lambda_.Function) -> lambda_.IFunction:
        # A version bears a hash of all that the function is, settings too, which others still add to.
        return lambda_.Alias(function, "Newest", alias_name=NEWEST, version=function.current_version)

    def _layer(self, weight: Weight, architecture: Architecture) -> lambda_.LayerVersion:
        key = (weight, architecture)
        if key not in self._layers:
            self._layers[key] = lambda_.LayerVersion(
                self,
                f"layer-{weight}-{architecture}",
                description=f"Packages of the class {weight}",
                code=lambda_.Code.from_asset(str(self._packages.layer(weight, architecture))),
                compatible_runtimes=[lambda_.Runtime.PYTHON_3_13],
                compatible_architectures=[_ARCHITECTURES[architecture]],
            )
        return self._layers[key]

    def _settings(self, function: Function) -> dict[str, str]:
        settings = {**self._environment, **own_environment(self._topology, self._place, function.name)}
        if function.name in self._topology.signing():
            settings[SECRETS] = self._signing_keys
        if function.weight is Weight.HELM:
            settings["HELM"] = self._packages.HELM_PROGRAM
        return settings


def _architecture(function: Function, context: Context) -> Architecture:
    # There is no other helm program than CDK's, and it is of that kind.
    return "x86_64" if function.weight is Weight.HELM else context.architecture


def _place_in_subnets(function: lambda_.Function, egress: Egress) -> None:
    # By ids alone: what CDK itself would take is a VPC that it knows, and it would write into the role's policy.
    made = cast("lambda_.CfnFunction", function.node.default_child)
    made.vpc_config = lambda_.CfnFunction.VpcConfigProperty(
        subnet_ids=[*egress.subnet_ids], security_group_ids=[*egress.security_group_ids]
    )
