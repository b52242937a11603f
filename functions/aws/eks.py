"""EKS as the stages use it: clusters by name, and what versions it offers."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from functions.core import runtime
from functions.core.cluster import ApiServer
from functions.core.errors import Cause, Layer, PreconditionFailed

if TYPE_CHECKING:
    from functions.core.runtime import Patience


@dataclass(frozen=True)
class Cluster:
    """An EKS cluster as it stands."""

    name: str
    arn: str
    status: str
    version: str
    endpoint: str
    certificate_authority: str
    tags: Mapping[str, str] = field(default_factory=dict)


def describe_cluster(name: str, patience: Patience | None = None) -> Cluster | None:
    """Describe a cluster; None when there is none. Raises the client's own errors."""
    client = runtime.client("eks", patience)
    try:
        found = client.describe_cluster(name=name)["cluster"]
    except client.exceptions.ResourceNotFoundException:
        return None
    return Cluster(
        name=found.get("name", name),
        arn=found.get("arn", ""),
        status=found.get("status", ""),
        version=found.get("version", ""),
        endpoint=found.get("endpoint", ""),
        certificate_authority=found.get("certificateAuthority", {}).get("data", ""),
        tags=found.get("tags", {}),
    )


def version_of(name: str) -> str:
    """Say which Kubernetes version a cluster has.

    Raises PreconditionFailed when the cluster is not there yet, else the client's own errors.
    """
    return _standing(name).version


def api_server_of(name: str) -> ApiServer:
    """Say where a cluster's Kubernetes API answers.

    Raises PreconditionFailed when the cluster is not there yet, else the client's own errors.
    """
    cluster = _standing(name)
    authority = base64.b64decode(cluster.certificate_authority).decode()
    return ApiServer(cluster=name, endpoint=cluster.endpoint, certificate_authority=authority)


def _standing(name: str) -> Cluster:
    cluster = describe_cluster(name)
    if cluster is None or cluster.status not in ("ACTIVE", "UPDATING"):
        raise PreconditionFailed(
            f"The EKS cluster {name} is {cluster.status if cluster else 'absent'}.",
            cause=Cause(layer=Layer.AWS, service="eks", api_call="DescribeCluster", resource=name),
            remedy="Create or repair the cluster's foundation first.",
        )
    return cluster


def offered_versions(patience: Patience | None = None) -> list[str]:
    """List the Kubernetes versions that EKS offers."""
    pages = runtime.client("eks", patience).get_paginator("describe_cluster_versions").paginate()
    return [version["clusterVersion"] for page in pages for version in page["clusterVersions"]]
