"""The instances of a HyperPod cluster, counted as they hold addresses of their subnets."""

from __future__ import annotations

from collections import Counter

from botocore.exceptions import ClientError

from functions.core import runtime
from functions.core.failures import code_of


def counted_by_group(cluster: str) -> dict[str, int]:
    """Count a cluster's instances by group, from their launch on, whether or not they run yet; empty without cluster.

    DescribeCluster's CurrentCount leaves out those that are being set up.
    """
    pages = runtime.client("sagemaker").get_paginator("list_cluster_nodes").paginate(ClusterName=cluster)
    try:
        return dict(Counter(node["InstanceGroupName"] for page in pages for node in page["ClusterNodeSummaries"]))
    except ClientError as error:
        if code_of(error) == "ResourceNotFound":
            return {}
        raise
