"""Tags and labels of everything the product makes: who manages it, for which cluster, by which operation."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from functions.core import runtime

if TYPE_CHECKING:
    from functions.core.cluster import ClusterSpec

MANAGER = "instantstart"
MANAGED_BY_LABEL = "app.kubernetes.io/managed-by"
CLUSTER_LABEL = "instantstart/cluster"


def tags_of(cluster: ClusterSpec, operation_id: str) -> dict[str, str]:
    """Give the AWS tags of a resource, with the company tags of the deployment (`COMPANY_TAGS`, a JSON object).

    Those of the cluster itself come before the deployment's, and none may pass for ours.
    """
    company: dict[str, str] = json.loads(runtime.environment().get("COMPANY_TAGS") or "{}")
    return company | cluster.company_tags | stack_tags(cluster) | {"instantstart:operation": operation_id}


def stack_tags(cluster: ClusterSpec) -> dict[str, str]:
    """Give the tags that do not change from one operation to the next."""
    return {"instantstart:managed-by": MANAGER, "instantstart:cluster": cluster.tag}


def labels_of(cluster: ClusterSpec, operation_id: str) -> dict[str, str]:
    """Give the Kubernetes labels of an object."""
    return {
        MANAGED_BY_LABEL: MANAGER,
        CLUSTER_LABEL: cluster.tag,
        "instantstart/operation": operation_id,
    }
