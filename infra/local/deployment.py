"""What `cdk deploy` would make, made in the simulated cloud: tables, roles, artifacts, state machines, settings."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Final

from infra.local.engine.dynamodb import create_tables
from infra.topology import (
    CLUSTER_ARTIFACTS,
    FOUNDATION_ROLE,
    KUBERNETES_ADMIN,
    KUBERNETES_OPERATOR,
    PREFIX,
    ROLE_PATH,
    TURN_LIMIT,
    Role,
    Topology,
)

if TYPE_CHECKING:
    from botocore.client import BaseClient

FUNCTION_PREFIX: Final = PREFIX
RELEASE: Final = "local"
_SUFFIXES: Final = (".yaml", ".sh")


@dataclass(frozen=True)
class Deployed:
    """Where things are, once deployed."""

    environment: Mapping[str, str]
    function_arn_prefix: str
    function_roles: Mapping[str, str]
    state_machine_prefix: str


def deploy(topology: Topology, client: Callable[[str], BaseClient], account: str, region: str) -> Deployed:
    """Make everything of the topology but the functions themselves, which run in this process."""
    bucket = f"{PREFIX}artifacts-{account}-{region}"
    environment = _environment(topology, account, region, bucket)
    create_tables(client("dynamodb"), topology.tables, environment)
    for role in _roles(topology):
        _make_role(client("iam"), role, account)
    _upload(client("s3"), bucket, region)
    _make_state_machines(topology, client("stepfunctions"), environment, account)
    return Deployed(
        environment=environment,
        function_arn_prefix=f"arn:aws:lambda:{region}:{account}:function:{FUNCTION_PREFIX}",
        function_roles={function.name: role_arn(account, _function_role(function.name)) for function in topology.functions},
        state_machine_prefix=environment["STATE_MACHINE_PREFIX"],
    )


def role_arn(account: str, name: str) -> str:
    """Name a role of ours."""
    return f"arn:aws:iam::{account}:role{ROLE_PATH}{name}"


def _environment(topology: Topology, account: str, region: str, bucket: str) -> dict[str, str]:
    tables = {table.variable: f"{PREFIX}{table.name}" for table in topology.tables}
    return {
        **tables,
        "AWS_REGION": region,
        "ACCOUNT_ID": account,
        "STATE_MACHINE_PREFIX": f"arn:aws:states:{region}:{account}:stateMachine:{PREFIX}",
        "PAGE_TOKEN_KEYS": secrets.token_urlsafe(32),
        "ARTIFACT_BUCKET": bucket,
        "RELEASE": RELEASE,
        "FOUNDATION_TEMPLATE_URL": f"https://{bucket}.s3.{region}.amazonaws.com/{RELEASE}/foundation.yaml",
        "FOUNDATION_ROLE_ARN": role_arn(account, FOUNDATION_ROLE.name),
        "KUBERNETES_ADMIN_ROLE_ARN": role_arn(account, KUBERNETES_ADMIN.name),
        "KUBERNETES_OPERATOR_ROLE_ARN": role_arn(account, KUBERNETES_OPERATOR.name),
    }


def _function_role(name: str) -> str:
    return f"{PREFIX}function-{name}"


def _roles(topology: Topology) -> list[Role]:
    functions = [Role(_function_role(f.name), "lambda.amazonaws.com", f.purpose) for f in topology.functions]
    machines = [Role(_machine_role(m.name), "states.amazonaws.com", "runs a state machine") for m in topology.machines]
    return [*topology.roles, *functions, *machines]


def _machine_role(name: str) -> str:
    return f"{PREFIX}machine-{name}"


def _make_role(iam: BaseClient, role: Role, account: str) -> None:
    principal = {"Service": role.trusted_service} if role.trusted_service else {"AWS": f"arn:aws:iam::{account}:root"}
    trust = {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRole"}],
    }
    iam.create_role(
        RoleName=role.name, Path=ROLE_PATH, AssumeRolePolicyDocument=json.dumps(trust), Description=role.purpose
    )


def _upload(s3: BaseClient, bucket: str, region: str) -> None:
    where = {} if region == "us-east-1" else {"CreateBucketConfiguration": {"LocationConstraint": region}}
    s3.create_bucket(Bucket=bucket, **where)
    for path in artifacts():
        key = f"{RELEASE}/{path.relative_to(CLUSTER_ARTIFACTS).as_posix()}"
        s3.put_object(Bucket=bucket, Key=key, Body=path.read_bytes())


def artifacts() -> list[Path]:
    """List the files that a release uploads for managed clusters."""
    return [path for path in sorted(CLUSTER_ARTIFACTS.rglob("*")) if path.suffix in _SUFFIXES]


def _make_state_machines(
    topology: Topology, stepfunctions: BaseClient, environment: Mapping[str, str], account: str
) -> None:
    values = substitutions(environment)
    for machine in topology.machines:
        stepfunctions.create_state_machine(
            name=f"{PREFIX}{machine.name}",
            definition=_Definition(machine.path.read_text(encoding="utf-8")).substitute(values),
            roleArn=role_arn(account, _machine_role(machine.name)),
        )


def substitutions(environment: Mapping[str, str]) -> dict[str, str]:
    """Give the values of the `${…}` placeholders of the ASL files."""
    return {
        "FunctionPrefix": FUNCTION_PREFIX,
        "StateMachinePrefix": environment["STATE_MACHINE_PREFIX"],
        "OperationsTable": environment["OPERATIONS_TABLE"],
        "TurnLimit": str(TURN_LIMIT),
    }


class _Definition(Template):
    """`${Name}` is a placeholder; `$name` is JSONata and stays."""

    pattern = r"""
        (?P<escaped>(?!)) | (?P<named>(?!)) | \$\{(?P<braced>[A-Z][A-Za-z]+)\} | (?P<invalid>(?!))
    """
