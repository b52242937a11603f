"""How the control plane's two roles are let into a cluster by its administrator: the exact commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.identity.rules import ACCESS

if TYPE_CHECKING:
    from collections.abc import Mapping


def commands(eks_cluster: str, region: str, roles: Mapping[str, str]) -> str:
    """Write the AWS CLI commands of an administrator; `roles` maps `admin` and `operator` to ARNs."""
    written: list[str] = []
    for name, access in ACCESS.items():
        named = f"--region {region} --cluster-name {eks_cluster} --principal-arn {roles[name]}"
        groups = f" --kubernetes-groups {' '.join(access.groups)}" if access.groups else ""
        written.append(f"aws eks create-access-entry {named} --type STANDARD{groups}")
        written += [association(eks_cluster, region, roles[name], policy) for policy in access.policies]
    return " && ".join(written)


def association(eks_cluster: str, region: str, role: str, policy: str) -> str:
    """Write the AWS CLI command by which an administrator gives a role that has an entry an access policy."""
    named = f"--region {region} --cluster-name {eks_cluster} --principal-arn {role}"
    return f"aws eks associate-access-policy {named} --policy-arn {policy} --access-scope type=cluster"
