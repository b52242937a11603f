"""EKS as the stages use it: what versions it offers, and add-ons by name."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING

from functions.core import runtime
from functions.core.cluster import ApiServer
from functions.core.errors import Cause, Layer, PreconditionFailed

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Cluster:
    """An EKS cluster as it stands."""

    name: str
    arn: str
    status: str
    version: str
    endpoint: str
    certificate_authority: str


@dataclass(frozen=True)
class Addon:
    """An add-on as it stands; `issues` maps issue codes to messages."""

    name: str
    status: str
    version: str
    arn: str
    issues: Mapping[str, str]


def describe_cluster(name: str) -> Cluster | None:
    """Describe a cluster; None when there is none. Raises the client's own errors."""
    client = runtime.client("eks")
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
    )


def api_server_of(name: str) -> ApiServer:
    """Say where a cluster's Kubernetes API answers.

    Raises PreconditionFailed when the cluster is not there yet, else the client's own errors.
    """
    cluster = describe_cluster(name)
    if cluster is None or cluster.status not in ("ACTIVE", "UPDATING"):
        raise PreconditionFailed(
            f"The EKS cluster {name} is {cluster.status if cluster else 'absent'}.",
            cause=Cause(layer=Layer.AWS, service="eks", api_call="DescribeCluster", resource=name),
            remedy="Create or repair the cluster's foundation first.",
        )
    authority = base64.b64decode(cluster.certificate_authority).decode()
    return ApiServer(cluster=name, endpoint=cluster.endpoint, certificate_authority=authority)


def offered_versions() -> list[str]:
    """List the Kubernetes versions that EKS offers."""
    pages = runtime.client("eks").get_paginator("describe_cluster_versions").paginate()
    return [version["clusterVersion"] for page in pages for version in page["clusterVersions"]]


def default_addon_version(addon: str, kubernetes_version: str) -> str | None:
    """Give the default version of an add-on for a Kubernetes version; None when it is not offered."""
    pages = (
        runtime.client("eks")
        .get_paginator("describe_addon_versions")
        .paginate(addonName=addon, kubernetesVersion=kubernetes_version)
    )
    offered = [version for page in pages for info in page["addons"] for version in info["addonVersions"]]
    preferred = [v for v in offered if any(c.get("defaultVersion") for c in v.get("compatibilities", []))]
    return next((version["addonVersion"] for version in preferred or offered), None)


def describe_addon(cluster: str, addon: str) -> Addon | None:
    """Describe an add-on; None when it is not installed. Raises the client's own errors."""
    client = runtime.client("eks")
    try:
        found = client.describe_addon(clusterName=cluster, addonName=addon)["addon"]
    except client.exceptions.ResourceNotFoundException:
        return None
    issues = found.get("health", {}).get("issues", [])
    return Addon(
        name=addon,
        status=found.get("status", ""),
        version=found.get("addonVersion", ""),
        arn=found.get("addonArn", ""),
        issues={str(issue.get("code", "")): issue.get("message", "") for issue in issues},
    )


def list_addons(cluster: str) -> list[str]:
    """List the names of a cluster's add-ons."""
    pages = runtime.client("eks").get_paginator("list_addons").paginate(clusterName=cluster)
    return [name for page in pages for name in page["addons"]]


def create_addon(cluster: str, addon: str, token: str, tags: Mapping[str, str], identity: Mapping[str, str]) -> None:
    """Install an add-on; `identity` maps its service accounts to role ARNs. One already there is left as it is."""
    client = runtime.client("eks")
    try:
        client.create_addon(
            clusterName=cluster,
            addonName=addon,
            clientRequestToken=token,
            tags=dict(tags),
            # A new cluster carries copies that EKS put there by itself; the add-on takes them over.
            resolveConflicts="OVERWRITE",
            podIdentityAssociations=[
                {"serviceAccount": account, "roleArn": role} for account, role in identity.items()
            ],
        )
    except client.exceptions.ResourceInUseException:
        return


def delete_addon(cluster: str, addon: str) -> None:
    """Remove an add-on."""
    runtime.client("eks").delete_addon(clusterName=cluster, addonName=addon)
