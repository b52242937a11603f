"""Security groups, as far as EFA asks: what they let through from and to themselves, and whose they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.aws.network import tags_in
from functions.capacity.preflight.models import SecurityGroup
from functions.core import runtime
from functions.core.tags import owner_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from types_boto3_ec2.type_defs import FilterTypeDef, IpPermissionOutputTypeDef

    from functions.core.runtime import Patience

_HTTPS: Final = 443
# By this port the control plane asks nodes for logs, and lets people into pods.
_KUBELET: Final = 10250


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
            names_itself=_all_of(found["GroupId"], found.get("IpPermissionsEgress", [])),
            leaves=any(_reaches_https(rule) for rule in found.get("IpPermissionsEgress", [])),
            admits=frozenset(
                pair.get("GroupId", "")
                for rule in found.get("IpPermissions", [])
                if _covers(rule, _KUBELET)
                for pair in rule.get("UserIdGroupPairs", [])
            ),
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


def _reaches_https(rule: IpPermissionOutputTypeDef) -> bool:
    everywhere = any(span.get("CidrIp") == "0.0.0.0/0" for span in rule.get("IpRanges", []))
    return everywhere and _covers(rule, _HTTPS)


def _covers(rule: IpPermissionOutputTypeDef, port: int) -> bool:
    """Say whether a rule is about a TCP port; one for all traffic names no ports."""
    if rule.get("IpProtocol") == "-1":
        return True
    return rule.get("IpProtocol") == "tcp" and rule.get("FromPort", 0) <= port <= rule.get("ToPort", 0)
