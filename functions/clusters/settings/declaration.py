"""What is said about a cluster: its owner groups and its company tags."""

from __future__ import annotations

from functions.core.declaration import Declaration, Route, Scope, Stage, Tool

DECLARATION = Declaration(
    domain="clusters",
    routes=(
        Route(
            "update_cluster",
            "PATCH",
            "/api/clusters/{tag}",
            Scope.OPERATE,
            "Change the owner groups and company tags of a cluster",
            202,
        ),
    ),
    stages=(
        Stage(
            kind="company_tags",
            function="stages_cluster",
            title="Company tags of the EKS cluster and the HyperPod cluster",
            expected_seconds=5,
            actions=(
                "eks:DescribeCluster",
                "eks:TagResource",
                "eks:UntagResource",
                "sagemaker:AddTags",
                "sagemaker:DeleteTags",
                "sagemaker:DescribeCluster",
                "sagemaker:ListTags",
            ),
        ),
    ),
    tools=(
        Tool(
            "cluster_update",
            "update_cluster",
            "Change a cluster",
            "Change a cluster's owner groups and company tags; send only what is to change.",
        ),
    ),
)
