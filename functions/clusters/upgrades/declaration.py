"""Upgrades: one route, and the stages that move control plane, add-ons and nodes to another Kubernetes version."""

from __future__ import annotations

from functions.core.declaration import Declaration, Route, Scope, Stage, Tool

_READINESS = (
    "eks:DescribeCluster",
    "eks:DescribeClusterVersions",
    "eks:DescribeAddonVersions",
    "eks:ListAddons",
    "eks:DescribeAddon",
    "eks:ListUpdates",
    "eks:DescribeUpdate",
    "eks:ListInsights",
    "eks:DescribeInsight",
    "sagemaker:DescribeCluster",
)

DECLARATION = Declaration(
    domain="upgrades",
    routes=(
        Route(
            "upgrade_cluster",
            "POST",
            "/api/clusters/{tag}/upgrade",
            Scope.OPERATE,
            "Move a cluster to another Kubernetes version",
            202,
        ),
    ),
    stages=(
        Stage(
            kind="upgrade_preflight",
            function="stages_workloads",
            title="What stands in an upgrade's way",
            expected_seconds=10,
            actions=(*_READINESS, "sts:AssumeRole"),
        ),
        Stage(
            kind="control_plane",
            function="stages_cluster",
            title="EKS control plane's version",
            expected_seconds=660,
            actions=(
                "eks:DescribeCluster",
                "eks:UpdateClusterVersion",
                "eks:ListUpdates",
                "eks:DescribeUpdate",
                "cloudformation:DescribeStacks",
                "cloudformation:DescribeStackEvents",
                "cloudformation:DescribeStackResources",
                "cloudformation:UpdateStack",
                "iam:PassRole",
            ),
            woken_by=("aws.cloudformation",),
        ),
        Stage(
            kind="foundation_addons",
            function="stages_cluster",
            title="Add-ons of the foundation",
            expected_seconds=90,
            actions=(
                "cloudformation:DescribeStacks",
                "cloudformation:DescribeStackEvents",
                "cloudformation:DescribeStackResources",
                "cloudformation:UpdateStack",
                "iam:PassRole",
            ),
            woken_by=("aws.cloudformation",),
        ),
        Stage(
            kind="node_images",
            function="stages_cluster",
            title="Images of the nodes",
            expected_seconds=3000,
            actions=(
                "eks:DescribeCluster",
                "sagemaker:DescribeCluster",
                "sagemaker:ListClusterNodes",
                "sagemaker:UpdateClusterSoftware",
                "sts:AssumeRole",
            ),
            woken_by=("aws.sagemaker",),
        ),
        Stage(
            kind="cluster_version",
            function="stages_cluster",
            title="Record of the cluster's version",
            expected_seconds=2,
        ),
    ),
    route_actions=_READINESS,
    tools=(
        Tool(
            "cluster_upgrade",
            "upgrade_cluster",
            "Upgrade a cluster",
            "Move a cluster's control plane, add-ons and nodes to another Kubernetes version, which cannot be "
            "taken back.",
            destroys=True,
        ),
    ),
)
