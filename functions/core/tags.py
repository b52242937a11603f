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
OPERATION_MARK = "instantstart:operation"
_OURS = "instantstart:"
MANAGED_BY_LABEL = "app.kubernetes.io/managed-by"
CLUSTER_LABEL = "instantstart/cluster"


def tags_of(cluster: ClusterSpec, operation_id: str) -> dict[str, str]:
    """Give the AWS tags of a resource, with the company tags of the deployment (`COMPANY_TAGS`, a JSON object).

    Those of the cluster itself come before the deployment's, and none may pass for ours.
    """
    return company_tags(cluster) | stack_tags(cluster) | {OPERATION_MARK: operation_id}


def company_tags(cluster: ClusterSpec) -> dict[str, str]:
    """Give the company's tags of a resource of a cluster: the deployment's, and the cluster's own before those."""
    deployed: dict[str, str] = json.loads(runtime.environment().get("COMPANY_TAGS") or "{}")
    return deployed | cluster.company_tags


def stack_tags(cluster: ClusterSpec) -> dict[str, str]:
    """Give the tags that do not change from one operation to the next."""
    return marks_of(cluster.tag)


def tags_after(cluster: ClusterSpec, standing: Mapping[str, str]) -> dict[str, str]:
    """Give the tags that a standing stack is to have: the company's as they are wanted by now, all others as they are.

    Only those that the cluster is known to have dropped go: what else stands there, others put on it.
    """
    return {key: value for key, value in standing.items() if key not in cluster.dropped_tags} | company_tags(cluster)


def foreign_keys(cluster: ClusterSpec, standing: Mapping[str, str]) -> frozenset[str]:
    """Name the tags of a standing stack that others put on it: neither our own nor ever known as the company's."""
    known = company_tags(cluster).keys() | {*cluster.dropped_tags}
    return frozenset(key for key in standing if key not in known and not is_own(key))


def is_own(key: str) -> bool:
    """Say whether a tag is the control plane's, and none of the company's."""
    return key.startswith(_OURS)


def marks_of(cluster_tag: str) -> dict[str, str]:
    """Give the tags by which a cluster's resources are known."""
    return {MANAGED_BY: MANAGER, CLUSTER_MARK: cluster_tag}


def marked(tags: Mapping[str, str], cluster_tag: str) -> bool:
    """Say whether a resource with some tags is a cluster's."""
    return all(tags.get(key) == value for key, value in marks_of(cluster_tag).items())


def owner_in(tags: Mapping[str, str]) -> str | None:
    """Name the cluster of ours that a resource with some tags was made for; None when it was made for none."""
    return tags.get(CLUSTER_MARK) if tags.get("instantstart:managed-by") == MANAGER else None


def labels_of(cluster: ClusterSpec, operation_id: str) -> dict[str, str]:
    """Give the Kubernetes labels of an object."""
    return {
        MANAGED_BY_LABEL: MANAGER,
        CLUSTER_LABEL: cluster.tag,
        "instantstart/operation": operation_id,
    }
