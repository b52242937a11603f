"""What the simulators read of other AWS services: subnets, security groups, roles, objects."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from botocore.client import BaseClient

    ClientFactory = Callable[[], BaseClient]


class Missing(Exception):
    """Something a request names does not exist; the text is that of the service asked."""


@dataclass(frozen=True)
class Subnet:
    """What placement needs to know of a subnet."""

    subnet_id: str
    vpc_id: str
    zone: str
    zone_id: str
    cidr: str


def error_code(error: ClientError) -> str:
    """AWS's code of a client error."""
    return str(error.response.get("Error", {}).get("Code"))


def subnets(ec2: BaseClient, ids: Sequence[str]) -> list[Subnet]:
    """Look subnets up, in the order asked."""
    found = {item["SubnetId"]: item for item in _described(ec2, "describe_subnets", "Subnets", SubnetIds=list(ids))}
    return [
        Subnet(name, item["VpcId"], item["AvailabilityZone"], item["AvailabilityZoneId"], item["CidrBlock"])
        for name, item in ((name, found[name]) for name in ids)
    ]


def require_security_groups(ec2: BaseClient, ids: Sequence[str]) -> None:
    """Raise Missing unless every security group exists."""
    if ids:
        _described(ec2, "describe_security_groups", "SecurityGroups", GroupIds=list(ids))


def vpc_cidrs(ec2: BaseClient, vpc_id: str) -> list[str]:
    """Every IPv4 block of a VPC."""
    vpc = _described(ec2, "describe_vpcs", "Vpcs", VpcIds=[vpc_id])[0]
    associated = [item["CidrBlock"] for item in vpc.get("CidrBlockAssociationSet", [])]
    return [vpc["CidrBlock"], *associated]


def zones(ec2: BaseClient) -> dict[str, str]:
    """Zone id by zone name, of the whole region."""
    answer = _described(ec2, "describe_availability_zones", "AvailabilityZones")
    return {item["ZoneName"]: item["ZoneId"] for item in answer}


def role_of(iam: BaseClient, arn: str) -> dict[str, Any] | None:
    """A role by its ARN (or by an assumed-role ARN), if it exists, with its trust policy parsed."""
    parts = arn.split(":", 5)[-1].split("/")
    name = parts[1] if parts[0] == "assumed-role" else parts[-1]
    try:
        role: dict[str, Any] = call(iam, "get_role", RoleName=name)["Role"]
    except ClientError as error:
        if error_code(error) == "NoSuchEntity":
            return None
        raise
    if parts[0] == "role" and role["Arn"] != arn:
        return None
    document = role["AssumeRolePolicyDocument"]
    return {
        **role,
        "AssumeRolePolicyDocument": document if isinstance(document, dict) else json.loads(unquote(document)),
    }


def trusts(role: dict[str, Any], principal: str) -> bool:
    """Whether a role's trust policy names a service principal."""
    return f'"{principal}"' in json.dumps(role["AssumeRolePolicyDocument"])


def object_exists(s3: BaseClient, uri: str) -> bool:
    """Whether `s3://bucket/key` can be read."""
    bucket, _, key = uri.removeprefix("s3://").partition("/")
    try:
        call(s3, "head_object", Bucket=bucket, Key=key)
    except ClientError as error:
        if error_code(error) in ("404", "403", "NoSuchBucket", "NoSuchKey", "AccessDenied"):
            return False
        raise
    return True


def _described(client: BaseClient, method: str, key: str, **filters: list[str]) -> list[dict[str, Any]]:
    try:
        found: list[dict[str, Any]] = call(client, method, **filters)[key]
    except ClientError as error:
        if error_code(error).endswith(("NotFound", "Malformed")):
            raise Missing(str(error.response["Error"]["Message"])) from error
        raise
    return found


def call(client: BaseClient, method: str, **params: object) -> dict[str, Any]:
    """Call a client by method name: clients are built from data, so no method is known to the type checker."""
    answer: dict[str, Any] = getattr(client, method)(**params)
    return answer
