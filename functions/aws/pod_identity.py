"""How pods of an EKS cluster get roles: its issuer of tokens, and pod identity associations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from functions.core import runtime
from functions.core.errors import Cause, Layer, PreconditionFailed

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class AssociationFound:
    """A pod identity association as it stands; `owner` is the ARN of the add-on it belongs to."""

    association_id: str
    role_arn: str
    owner: str
    tags: Mapping[str, str]


def issuer_of(cluster: str) -> str:
    """Name the issuer of a cluster's service account tokens.

    Raises PreconditionFailed when EKS names none yet, else the client's own errors.
    """
    client = runtime.client("eks")
    try:
        found = client.describe_cluster(name=cluster)["cluster"]
    except client.exceptions.ResourceNotFoundException:
        found = {}
    issuer = found.get("identity", {}).get("oidc", {}).get("issuer")
    if not issuer:
        raise PreconditionFailed(
            f"The EKS cluster {cluster} is {found.get('status', 'absent')} and has no issuer of tokens.",
            cause=Cause(layer=Layer.AWS, service="eks", api_call="DescribeCluster", resource=cluster),
            remedy="Create or repair the cluster's foundation first.",
        )
    return issuer


def find(cluster: str, namespace: str, service_account: str) -> AssociationFound | None:
    """Read the association of a service account, which has one at most; None when there is none."""
    client = runtime.client("eks")
    pages = client.get_paginator("list_pod_identity_associations").paginate(
        clusterName=cluster, namespace=namespace, serviceAccount=service_account
    )
    listed = next((each for page in pages for each in page["associations"]), None)
    if listed is None:
        return None
    name = listed.get("associationId", "")
    found = client.describe_pod_identity_association(clusterName=cluster, associationId=name)["association"]
    return AssociationFound(name, found.get("roleArn", ""), found.get("ownerArn", ""), found.get("tags", {}))


def create(cluster: str, namespace: str, service_account: str, role_arn: str, tags: Mapping[str, str]) -> None:
    """Associate a service account with a role; one that somebody made in between is left to the next look."""
    client = runtime.client("eks")
    try:
        client.create_pod_identity_association(
            clusterName=cluster,
            namespace=namespace,
            serviceAccount=service_account,
            roleArn=role_arn,
            tags=dict(tags),
        )
    except client.exceptions.ResourceInUseException:
        return


def update(cluster: str, association_id: str, role_arn: str) -> None:
    """Give an association another role."""
    runtime.client("eks").update_pod_identity_association(
        clusterName=cluster, associationId=association_id, roleArn=role_arn
    )


def delete(cluster: str, association_id: str) -> None:
    """Remove an association; one that is gone is as good."""
    client = runtime.client("eks")
    try:
        client.delete_pod_identity_association(clusterName=cluster, associationId=association_id)
    except client.exceptions.ResourceNotFoundException:
        return
