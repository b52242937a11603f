"""The clusters domain: creating clusters whole or phase by phase, and reading them."""

from __future__ import annotations

from functions.core.declaration import Declaration, Route, Scope, Stage

DECLARATION = Declaration(
    domain="clusters",
    routes=(
        Route("create_cluster", "POST", "/api/clusters", Scope.OPERATE, "Create a cluster or its foundation", 202),
        Route("list_clusters", "GET", "/api/clusters", Scope.READ, "List the clusters"),
        Route("get_cluster", "GET", "/api/clusters/{tag}", Scope.READ, "Read a cluster"),
        Route(
            "list_cluster_events",
            "GET",
            "/api/clusters/{tag}/events",
            Scope.READ,
            "List what AWS told about a cluster, newest first",
        ),
        Route(
            "configure_dependencies",
            "POST",
            "/api/clusters/{tag}/dependencies",
            Scope.OPERATE,
            "Install the add-ons of a cluster",
            202,
        ),
        Route(
            "create_hyperpod",
            "POST",
            "/api/clusters/{tag}/hyperpod",
            Scope.OPERATE,
            "Create the HyperPod cluster of a cluster",
            202,
        ),
        Route(
            "create_storage",
            "POST",
            "/api/clusters/{tag}/storage",
            Scope.OPERATE,
            "Mount the bucket of a cluster",
            202,
        ),
        Route(
            "get_active_cluster",
            "GET",
            "/api/preferences/active_cluster",
            Scope.READ,
            "Read which cluster the caller works with",
        ),
        Route(
            "put_active_cluster",
            "PUT",
            "/api/preferences/active_cluster",
            Scope.READ,
            "Choose the cluster the caller works with",
        ),
    ),
    stages=(
        Stage(
            kind="foundation",
            function="stages_cluster",
            title="Network, EKS control plane, roles and bucket",
            expected_seconds=780,
            actions=(
                "cloudformation:DescribeStacks",
                "cloudformation:DescribeStackEvents",
                "cloudformation:DescribeStackResources",
                "cloudformation:CreateStack",
                "cloudformation:DeleteStack",
                "ec2:DescribeVpcs",
                "ec2:DescribeAvailabilityZones",
                # The network that a cluster takes over.
                "ec2:DescribeVpcAttribute",
                "ec2:DescribeSubnets",
                "ec2:DescribeRouteTables",
                "ec2:DescribeNatGateways",
                "ec2:DescribeVpcEndpoints",
                "eks:DescribeClusterVersions",
                "eks:DescribeAddonVersions",
                # The stack is created by the foundation role; this function may only hand it over.
                "iam:PassRole",
                "s3:GetObject",
            ),
            woken_by=("aws.cloudformation",),
        ),
        Stage(
            kind="verify",
            function="stages_workloads",
            title="Last look at everything",
            expected_seconds=10,
            actions=(
                "eks:DescribeCluster",
                "eks:ListAddons",
                "eks:DescribeAddon",
                "sagemaker:DescribeCluster",
                "sts:AssumeRole",
            ),
        ),
    ),
    route_actions=(
        "ec2:DescribeAvailabilityZones",
        "ec2:DescribeSubnets",
        "states:StartExecution",
        # What a request about capacity is checked by.
        "ec2:DescribeInstanceTypeOfferings",
        "ec2:DescribeSecurityGroups",
        "s3:GetObject",
        # What a cluster is to take over.
        "ec2:DescribeVpcs",
        "ec2:DescribeVpcAttribute",
        "ec2:DescribeRouteTables",
        "ec2:DescribeNatGateways",
        "ec2:DescribeVpcEndpoints",
        "iam:GetRole",
        "iam:GetRolePolicy",
        "iam:ListRolePolicies",
        "iam:ListAttachedRolePolicies",
        "iam:GetPolicy",
        "iam:GetPolicyVersion",
        # HeadBucket asks for ListBucket.
        "s3:ListBucket",
        "s3:GetBucketAcl",
        "s3:GetBucketPolicyStatus",
        "s3:GetBucketPublicAccessBlock",
        "sagemaker:DescribeCluster",
        "sagemaker:DescribeTrainingPlan",
        "sagemaker:ListClusters",
        "servicequotas:GetServiceQuota",
        "servicequotas:ListServiceQuotas",
    ),
)
