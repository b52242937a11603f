"""What `cdk deploy` would make, made in the simulated cloud: tables, roles, keys, artifacts, machines, settings."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from functions.core.signing import SECRETS
from infra.local.charts_standin import Packed, packed
from infra.local.engine.dynamodb import create_tables
from infra.release import (
    NOTIFICATIONS,
    Place,
    Release,
    ShippedChart,
    artifacts,
    definition,
    environment,
    function_role,
    machine_role,
    signing_key,
    substitutions,
)
from infra.shapes import Role
from infra.topology import CLUSTER_ARTIFACTS, PREFIX, Topology

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue
    from types_boto3_iam import IAMClient
    from types_boto3_s3 import S3Client
    from types_boto3_s3.type_defs import CreateBucketConfigurationTypeDef, LifecycleRuleTypeDef
    from types_boto3_stepfunctions import SFNClient

    from infra.local.clients import ClientOf, SecretsClient

FUNCTION_PREFIX: Final = PREFIX
RELEASE: Final = "local"


@dataclass(frozen=True)
class Deployed:
    """Where things are, once deployed."""

    environment: Mapping[str, str]
    function_arn_prefix: str
    function_roles: Mapping[str, str]
    state_machine_prefix: str


def deploy(topology: Topology, client: ClientOf, place: Place, key: str, more: Mapping[str, str]) -> Deployed:
    """Make everything of the topology but the functions themselves and what calls them, which is in this process.

    `key` is what functions sign with, `more` are the variables of functions that the host alone knows.
    """
    release = Release(RELEASE, tuple(_shipped(chart) for chart in packed()))
    shared = environment(topology, place, release)
    shared |= {"AWS_REGION": place.region, SECRETS: make_signing_key(client("secretsmanager"), 1, key), **more}
    create_tables(client("dynamodb"), topology.tables, shared)
    for role in _roles(topology):
        _make_role(client("iam"), role, place)
    _upload(client("s3"), shared["ARTIFACT_BUCKET"], place.region, release)
    for kept in topology.buckets:
        _make_bucket(client("s3"), shared[kept.variable], place.region)
        _expire(client("s3"), shared[kept.variable], kept.keep_days)
    client("sns").create_topic(Name=NOTIFICATIONS)
    _make_state_machines(topology, client("stepfunctions"), shared, place)
    return Deployed(
        environment=shared,
        function_arn_prefix=place.arn("lambda", f"function:{FUNCTION_PREFIX}"),
        function_roles={each.name: place.role_arn(function_role(each.name)) for each in topology.functions},
        state_machine_prefix=shared["STATE_MACHINE_PREFIX"],
    )


def make_signing_key(client: SecretsClient, generation: int, key: str) -> str:
    """Make the secret of a generation's signing key; give its ARN."""
    return client.create_secret(Name=signing_key(generation), SecretString=key)["ARN"]


def _roles(topology: Topology) -> list[Role]:
    functions = [
        Role(function_role(f.name), "lambda.amazonaws.com", f.purpose, f.acts_for_operations)
        for f in topology.functions
    ]
    machines = [Role(machine_role(m.name), "states.amazonaws.com", "runs a state machine") for m in topology.machines]
    return [*topology.roles, *functions, *machines]


def _make_role(iam: IAMClient, role: Role, place: Place) -> None:
    trust = {"Version": "2012-10-17", "Statement": _trust(role, place)}
    iam.create_role(
        RoleName=place.global_name(role.name),
        Path=place.role_path,
        AssumeRolePolicyDocument=json.dumps(trust),
        Description=role.purpose,
    )


def _trust(role: Role, place: Place) -> list[dict[str, JsonValue]]:
    everybody: JsonValue = {"AWS": place.arn("iam", "root", region=False)}
    principal: JsonValue = {"Service": role.trusted_service} if role.trusted_service else everybody
    statements: list[dict[str, JsonValue]] = [{"Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRole"}]
    if role.trusts_itself:
        itself: JsonValue = {"ArnEquals": {"aws:PrincipalArn": place.role_arn(role.name)}}
        statements.append({**statements[0], "Principal": everybody, "Condition": itself})
    return statements


def _make_bucket(s3: S3Client, bucket: str, region: str) -> None:
    if region == "us-east-1":
        s3.create_bucket(Bucket=bucket)
    else:
        place: CreateBucketConfigurationTypeDef = {"LocationConstraint": region}  # type: ignore[typeddict-item]  # any region
        s3.create_bucket(Bucket=bucket, CreateBucketConfiguration=place)


def _expire(s3: S3Client, bucket: str, days: int) -> None:
    rule: LifecycleRuleTypeDef = {"ID": "keep", "Status": "Enabled", "Filter": {}, "Expiration": {"Days": days}}
    s3.put_bucket_lifecycle_configuration(Bucket=bucket, LifecycleConfiguration={"Rules": [rule]})


def _upload(s3: S3Client, bucket: str, region: str, release: Release) -> None:
    _make_bucket(s3, bucket, region)
    for chart in packed():
        s3.put_object(Bucket=bucket, Key=release.key(chart.key), Body=chart.content)
    for path in artifacts():
        key = release.key(path.relative_to(CLUSTER_ARTIFACTS).as_posix())
        s3.put_object(Bucket=bucket, Key=key, Body=path.read_bytes())


def _shipped(chart: Packed) -> ShippedChart:
    return ShippedChart(chart.release, chart.version, chart.key, chart.sha256, chart.namespace)


def _make_state_machines(topology: Topology, stepfunctions: SFNClient, shared: Mapping[str, str], place: Place) -> None:
    values = substitutions(shared)
    for machine in topology.machines:
        stepfunctions.create_state_machine(
            name=f"{PREFIX}{machine.name}",
            definition=definition(machine.path.read_text(encoding="utf-8"), values),
            roleArn=place.role_arn(machine_role(machine.name)),
        )
