"""Access entries of people as EKS keeps them: whose they are, and their access policies with their scopes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.core import runtime
from functions.identity.people.models import Association, Door, Entry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from types_boto3_eks.type_defs import AccessScopeTypeDef, ListAccessEntriesRequestTypeDef


def door_of(cluster: str) -> Door:
    """Describe how a cluster lets people in. Raises the client's own errors."""
    client = runtime.client("eks")
    try:
        found = client.describe_cluster(name=cluster)["cluster"]
    except client.exceptions.ResourceNotFoundException:
        return Door(cluster, "", "")
    mode = found.get("accessConfig", {}).get("authenticationMode", "CONFIG_MAP")
    return Door(cluster, found.get("status", ""), mode)


def principals(cluster: str, size: int, token: str | None) -> tuple[list[str], str | None]:
    """List a page of principals that have an entry, with EKS's token of the next. Raises the client's own errors."""
    request: ListAccessEntriesRequestTypeDef = {"clusterName": cluster, "maxResults": size}
    if token:
        request["nextToken"] = token
    answer = runtime.client("eks").list_access_entries(**request)
    return answer["accessEntries"], answer.get("nextToken")


def entry_of(cluster: str, principal: str) -> Entry | None:
    """Describe an entry with its policies; None when there is none. Raises the client's own errors."""
    client = runtime.client("eks")
    try:
        found = client.describe_access_entry(clusterName=cluster, principalArn=principal)["accessEntry"]
        pages = client.get_paginator("list_associated_access_policies").paginate(
            clusterName=cluster, principalArn=principal
        )
        policies = [policy for page in pages for policy in page["associatedAccessPolicies"]]
    except client.exceptions.ResourceNotFoundException:
        return None
    return Entry(
        principal_arn=principal,
        arn=found.get("accessEntryArn", ""),
        type=found.get("type", ""),
        groups=tuple(found.get("kubernetesGroups", [])),
        tags=found.get("tags", {}),
        associations=tuple(
            Association(policy["policyArn"], tuple(policy["accessScope"].get("namespaces", []))) for policy in policies
        ),
    )


def mark(entry: Entry, tags: Mapping[str, str]) -> None:
    """Write tags on an entry. Raises the client's own errors."""
    runtime.client("eks").tag_resource(resourceArn=entry.arn, tags=dict(tags))


def associate(cluster: str, principal: str, association: Association) -> None:
    """Give an entry an access policy, or the one it has another scope. Raises the client's own errors."""
    places = [*association.namespaces]
    scope: AccessScopeTypeDef = {"type": "namespace", "namespaces": places} if places else {"type": "cluster"}
    runtime.client("eks").associate_access_policy(
        clusterName=cluster, principalArn=principal, policyArn=association.policy_arn, accessScope=scope
    )


def dissociate(cluster: str, principal: str, policy: str) -> None:
    """Take an access policy from an entry; one that it does not have is as good. Raises the client's other errors."""
    client = runtime.client("eks")
    try:
        client.disassociate_access_policy(clusterName=cluster, principalArn=principal, policyArn=policy)
    except client.exceptions.ResourceNotFoundException:
        return
