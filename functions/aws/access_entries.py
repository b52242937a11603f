"""EKS access entries: which IAM principals get into a cluster, and with which access policies."""

from __future__ import annotations

from functions.core import runtime


def exists(cluster: str, principal: str) -> bool:
    """Say whether a principal has an entry. Raises the client's own errors."""
    client = runtime.client("eks")
    try:
        client.describe_access_entry(clusterName=cluster, principalArn=principal)
    except client.exceptions.ResourceNotFoundException:
        return False
    return True


def create(cluster: str, principal: str) -> bool:
    """Create an entry; False when somebody else had made it in between."""
    client = runtime.client("eks")
    try:
        client.create_access_entry(clusterName=cluster, principalArn=principal, type="STANDARD")
    except client.exceptions.ResourceInUseException:
        return False
    return True


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
