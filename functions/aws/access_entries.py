"""EKS access entries: which IAM principals get into a cluster, with which groups and access policies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.core import runtime

if TYPE_CHECKING:
    from collections.abc import Mapping


def groups(cluster: str, principal: str) -> list[str] | None:
    """List the Kubernetes groups of a principal's entry; None when it has none. Raises the client's own errors."""
    client = runtime.client("eks")
    try:
        found = client.describe_access_entry(clusterName=cluster, principalArn=principal)["accessEntry"]
    except client.exceptions.ResourceNotFoundException:
        return None
    return found.get("kubernetesGroups", [])


def tags(cluster: str, principal: str) -> dict[str, str] | None:
    """Read the tags of a principal's entry; None when it has none. Raises the client's own errors."""
    client = runtime.client("eks")
    try:
        found = client.describe_access_entry(clusterName=cluster, principalArn=principal)["accessEntry"]
    except client.exceptions.ResourceNotFoundException:
        return None
    return dict(found.get("tags", {}))


def create(cluster: str, principal: str, members_of: list[str], marks: Mapping[str, str]) -> bool:
    """Create an entry with the tags `marks`; False when somebody else had made it in between."""
    client = runtime.client("eks")
    try:
        client.create_access_entry(
            clusterName=cluster,
            principalArn=principal,
            type="STANDARD",
            kubernetesGroups=members_of,
            tags=dict(marks),
        )
    except client.exceptions.ResourceInUseException:
        return False
    return True


def update(cluster: str, principal: str, members_of: list[str]) -> None:
    """Replace the groups of an entry."""
    runtime.client("eks").update_access_entry(clusterName=cluster, principalArn=principal, kubernetesGroups=members_of)


def policies(cluster: str, principal: str) -> list[str]:
    """List the access policies of an entry that hold for the whole cluster."""
    pages = (
        runtime.client("eks")
        .get_paginator("list_associated_access_policies")
        .paginate(clusterName=cluster, principalArn=principal)
    )
    found = [policy for page in pages for policy in page["associatedAccessPolicies"]]
    return [policy["policyArn"] for policy in found if policy["accessScope"]["type"] == "cluster"]


def associate(cluster: str, principal: str, policy: str) -> None:
    """Give an entry an access policy for the whole cluster; doing it twice changes nothing."""
    runtime.client("eks").associate_access_policy(
        clusterName=cluster, principalArn=principal, policyArn=policy, accessScope={"type": "cluster"}
    )


def dissociate(cluster: str, principal: str, policy: str) -> None:
    """Take an access policy from an entry."""
    runtime.client("eks").disassociate_access_policy(clusterName=cluster, principalArn=principal, policyArn=policy)


def delete(cluster: str, principal: str) -> None:
    """Remove an entry; one that is gone is as good."""
    client = runtime.client("eks")
    try:
        client.delete_access_entry(clusterName=cluster, principalArn=principal)
    except client.exceptions.ResourceNotFoundException:
        return
