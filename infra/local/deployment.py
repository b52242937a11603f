"""What `cdk deploy` would make, made in the simulated cloud: tables, roles, artifacts, state machines, settings."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from functions.core.cluster import AccessRole
from infra.local.charts_standin import Packed, packed
from infra.local.engine.dynamodb import create_tables
from infra.topology import (
    CHOICES,
    CLUSTER_ARTIFACTS,
    FOUNDATION_ROLE,
    KUBERNETES_ADMIN,
    KUBERNETES_OPERATOR,
    POLL_SECONDS,
    PREFIX,
    ROLE_PATH,
    TURN_LIMIT,
    Role,
    Topology,
)
from infra.triggers import EventRule

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from types_boto3_iam import IAMClient
    from types_boto3_s3 import S3Client
    from types_boto3_s3.type_defs import CreateBucketConfigurationTypeDef
    from types_boto3_stepfunctions import SFNClient

    from infra.local.clients import ClientOf

FUNCTION_PREFIX: Final = PREFIX
RELEASE: Final = "local"
_SUFFIXES: Final = (".yaml", ".sh")
_PLACEHOLDER: Final = re.compile(r"\$\{([A-Z][A-Za-z]+)\}")


@dataclass(frozen=True)
class Deployed:
    """Where things are, once deployed."""

    environment: Mapping[str, str]
    function_arn_prefix: str
    function_roles: Mapping[str, str]
    state_machine_prefix: str


def deploy(
    topology: Topology, client: ClientOf, account: str, region: str, connections_endpoint: str, page_token_key: str
) -> Deployed:
    """Make everything of the topology but the functions themselves and what calls them, which is in this process."""
    bucket = f"{PREFIX}artifacts-{account}-{region}"
    environment = _environment(topology, account, region, bucket)
    environment |= {"CONNECTIONS_ENDPOINT": connections_endpoint, "PAGE_TOKEN_KEYS": page_token_key}
    create_tables(client("dynamodb"), topology.tables, environment)
    for role in _roles(topology):
        _make_role(client("iam"), role, account)
    _upload(client("s3"), bucket, region)
    _make_state_machines(topology, client("stepfunctions"), environment, account)
    return Deployed(
        environment=environment,
        function_arn_prefix=f"arn:aws:lambda:{region}:{account}:function:{FUNCTION_PREFIX}",
        function_roles={
            function.name: role_arn(account, _function_role(function.name)) for function in topology.functions
        },
        state_machine_prefix=environment["STATE_MACHINE_PREFIX"],
    )


def role_arn(account: str, name: str) -> str:
    """Name a role of ours."""
    return f"arn:aws:iam::{account}:role{ROLE_PATH}{name}"


def _environment(topology: Topology, account: str, region: str, bucket: str) -> dict[str, str]:
    tables = {table.variable: f"{PREFIX}{table.name}" for table in topology.tables}
    return {
        **tables,
        **POLL_SECONDS,
        **CHOICES,
        "AWS_REGION": region,
        "ACCOUNT_ID": account,
        "STATE_MACHINE_PREFIX": f"arn:aws:states:{region}:{account}:stateMachine:{PREFIX}",
        "ARTIFACT_BUCKET": bucket,
        "RELEASE": RELEASE,
        "CHARTS": json.dumps({chart.release: _shipped(chart) for chart in packed()}),
        "FOUNDATION_TEMPLATE_URL": f"https://{bucket}.s3.{region}.amazonaws.com/{RELEASE}/foundation.yaml",
        "FOUNDATION_ROLE_ARN": role_arn(account, FOUNDATION_ROLE.name),
        AccessRole.ADMIN.value: role_arn(account, KUBERNETES_ADMIN.name),
        AccessRole.OPERATOR.value: role_arn(account, KUBERNETES_OPERATOR.name),
    }


def _function_role(name: str) -> str:
    return f"{PREFIX}function-{name}"


def _roles(topology: Topology) -> list[Role]:
    functions = [Role(_function_role(f.name), "lambda.amazonaws.com", f.purpose) for f in topology.functions]
    machines = [Role(_machine_role(m.name), "states.amazonaws.com", "runs a state machine") for m in topology.machines]
    return [*topology.roles, *functions, *machines]


def _machine_role(name: str) -> str:
    return f"{PREFIX}machine-{name}"


def _make_role(iam: IAMClient, role: Role, account: str) -> None:
    principal = {"Service": role.trusted_service} if role.trusted_service else {"AWS": f"arn:aws:iam::{account}:root"}
    trust = {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRole"}],
    }
    iam.create_role(
        RoleName=role.name, Path=ROLE_PATH, AssumeRolePolicyDocument=json.dumps(trust), Description=role.purpose
    )


def _upload(s3: S3Client, bucket: str, region: str) -> None:
    if region == "us-east-1":
        s3.create_bucket(Bucket=bucket)
    else:
        place: CreateBucketConfigurationTypeDef = {"LocationConstraint": region}  # type: ignore[typeddict-item]  # any region
        s3.create_bucket(Bucket=bucket, CreateBucketConfiguration=place)
    for chart in packed():
        s3.put_object(Bucket=bucket, Key=f"{RELEASE}/{chart.key}", Body=chart.content)
    for path in artifacts():
        key = f"{RELEASE}/{path.relative_to(CLUSTER_ARTIFACTS).as_posix()}"
        s3.put_object(Bucket=bucket, Key=key, Body=path.read_bytes())


def _shipped(chart: Packed) -> dict[str, str]:
    return {
        "version": chart.version,
        "key": f"{RELEASE}/{chart.key}",
        "sha256": chart.sha256,
        "namespace": chart.namespace,
    }


def artifacts() -> list[Path]:
    """List the files that a release uploads for managed clusters."""
    return [path for path in sorted(CLUSTER_ARTIFACTS.rglob("*")) if path.suffix in _SUFFIXES]


def _make_state_machines(
    topology: Topology, stepfunctions: SFNClient, environment: Mapping[str, str], account: str
) -> None:
    values = substitutions(environment)
    for machine in topology.machines:
        stepfunctions.create_state_machine(
            name=f"{PREFIX}{machine.name}",
            definition=definition(machine.path.read_text(encoding="utf-8"), values),
            roleArn=role_arn(account, _machine_role(machine.name)),
        )


def event_rules(topology: Topology, environment: Mapping[str, str]) -> list[EventRule]:
    """Give the rules of the event bus with the `${…}` of their patterns filled in."""
    values = substitutions(environment)
    filled = [(rule, definition(json.dumps(rule.pattern), values)) for rule in topology.event_rules]
    return [replace(rule, pattern=json.loads(text)) for rule, text in filled]


def substitutions(environment: Mapping[str, str]) -> dict[str, str]:
    """Give the values of the `${…}` placeholders of the ASL files."""
    return {
        "FunctionPrefix": FUNCTION_PREFIX,
        "StateMachinePrefix": environment["STATE_MACHINE_PREFIX"],
        "OperationsTable": environment["OPERATIONS_TABLE"],
        "TurnLimit": str(TURN_LIMIT),
    }


def definition(text: str, values: Mapping[str, str]) -> str:
    """Fill the `${Name}` placeholders of an ASL file, as `definition_substitutions` does; `$name` is JSONata.

    Raises KeyError for a placeholder without a value.
    """
    return _PLACEHOLDER.sub(lambda found: values[found[1]], text)
