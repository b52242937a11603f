"""Security groups, as far as EFA asks: what they let through from and to themselves, and whose they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.aws.network import tags_in
from functions.capacity.preflight.models import SecurityGroup
from functions.core import runtime
from functions.core.tags import owner_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from types_boto3_ec2.type_defs import FilterTypeDef, IpPermissionOutputTypeDef

    from functions.core.runtime import Patience


def describe(group_ids: Sequence[str], patience: Patience | None = None) -> dict[str, SecurityGroup]:
    """Describe security groups by id; one that does not exist is left out. Raises the client's own errors."""
    wanted: list[FilterTypeDef] = [{"Name": "group-id", "Values": list(group_ids)}]
    pages = runtime.client("ec2", patience).get_paginator("describe_security_groups").paginate(Filters=wanted)
    return {
        found["GroupId"]: SecurityGroup(
            group_id=found["GroupId"],
            vpc_id=found.get("VpcId", ""),
            from_itself=_all_of(found["GroupId"], found.get("IpPermissions", [])),
            to_itself=_all_of(found["GroupId"], found.get("IpPermissionsEgress", []), or_everywhere=True),
            owner=owner_in(tags_in(found.get("Tags", []))),
        )
        for page in pages
        for found in page["SecurityGroups"]
    }


def _all_of(group_id: str, permissions: Sequence[IpPermissionOutputTypeDef], *, or_everywhere: bool = False) -> bool:
    """Say whether rules let all traffic through between members of the group."""
    every = [permission for permission in permissions if permission.get("IpProtocol") == "-1"]
    of_itself = any(pair.get("GroupId") == group_id for rule in every for pair in rule.get("UserIdGroupPairs", []))
    everywhere = any(span.get("CidrIp") == "0.0.0.0/0" for rule in every for span in rule.get("IpRanges", []))
    return of_itself or (or_everywhere and everywhere)
