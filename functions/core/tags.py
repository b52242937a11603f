"""Tags and labels of everything the product makes: who manages it, for which cluster, by which operation."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from functions.core import runtime

if TYPE_CHECKING:
    from collections.abc import Mapping

    from functions.core.cluster import ClusterSpec

MANAGER = "instantstart"
MANAGED_BY = "instantstart:managed-by"
CLUSTER_MARK = "instantstart:cluster"
MANAGED_BY_LABEL = "app.kubernetes.io/managed-by"
CLUSTER_LABEL = "instantstart/cluster"


def tags_of(cluster: ClusterSpec, operation_id: str) -> dict[str, str]:
    """Give the AWS tags of a resource, with the company tags of the deployment (`COMPANY_TAGS`, a JSON object).

    Those of the cluster itself come before the deployment's, and none may pass for ours.
    """
    return company_tags(cluster) | stack_tags(cluster) | {"instantstart:operation": operation_id}


def company_tags(cluster: ClusterSpec) -> dict[str, str]:
    """Give the company's tags of a resource of a cluster: the deployment's, and the cluster's own before those."""
    deployed: dict[str, str] = json.loads(runtime.environment().get("COMPANY_TAGS") or "{}")
    return deployed | cluster.company_tags


def stack_tags(cluster: ClusterSpec) -> dict[str, str]:
    """Give the tags that do not change from one operation to the next."""
    return marks_of(cluster.tag)


def marks_of(cluster_tag: str) -> dict[str, str]:
    """Give the tags by which a cluster's resources are known."""
    return {MANAGED_BY: MANAGER, CLUSTER_MARK: cluster_tag}


def marked(tags: Mapping[str, str], cluster_tag: str) -> bool:
    """Say whether a resource with some tags is a cluster's."""
    return all(tags.get(key) == value for key, value in marks_of(cluster_tag).items())


def labels_of(cluster: ClusterSpec, operation_id: str) -> dict[str, str]:
    """Give the Kubernetes labels of an object."""
    return {
        MANAGED_BY_LABEL: MANAGER,
        CLUSTER_LABEL: cluster.tag,
        "instantstart/operation": operation_id,
    }
