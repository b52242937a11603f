"""EKS as the catalog reads it: the clusters of the region, and the Kubernetes versions on offer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.catalog.importable_clusters.models import ImportableCluster
from functions.catalog.kubernetes_versions.models import OfferedVersion
from functions.core import runtime

if TYPE_CHECKING:
    from types_boto3_eks.type_defs import ListClustersRequestTypeDef

    from functions.core.runtime import Patience


def page(size: int, token: str | None, patience: Patience | None = None) -> tuple[list[str], str | None]:
    """Read one page of the clusters' names and the token of the next. Raises the client's own errors."""
    asked: ListClustersRequestTypeDef = {"maxResults": size}
    if token:
        asked["nextToken"] = token
    answer = runtime.client("eks", patience).list_clusters(**asked)
    return answer["clusters"], answer.get("nextToken")


def outline(name: str, patience: Patience | None = None) -> list[ImportableCluster]:
    """Describe a cluster in short; nothing when there is none. Raises the client's own errors."""
    client = runtime.client("eks", patience)
    try:
        found = client.describe_cluster(name=name)["cluster"]
    except client.exceptions.ResourceNotFoundException:
        return []
    network = found.get("resourcesVpcConfig", {})
    return [
        ImportableCluster(
            name=name,
            arn=found.get("arn"),
            kubernetes_version=found.get("version"),
            status=found.get("status"),
            authentication_mode=found.get("accessConfig", {}).get("authenticationMode"),
            public_endpoint=network.get("endpointPublicAccess"),
            vpc_id=network.get("vpcId"),
            created_at=found.get("createdAt"),
        )
    ]


def offered_versions(patience: Patience | None = None) -> list[OfferedVersion]:
    """List the Kubernetes versions that EKS offers, with their support. Raises the client's own errors."""
    pages = runtime.client("eks", patience).get_paginator("describe_cluster_versions").paginate()
    return [
        OfferedVersion(
            name=found["clusterVersion"],
            status=found.get("versionStatus", ""),
            standard_support_ends_at=found.get("endOfStandardSupportDate"),
            extended_support_ends_at=found.get("endOfExtendedSupportDate"),
        )
        for page in pages
        for found in page["clusterVersions"]
    ]
