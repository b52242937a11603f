"""The clusters domain: creating clusters whole or phase by phase, and reading them."""

from __future__ import annotations

from functions.core.declaration import Declaration, Route, Scope, Stage, Tool

# What a request to create something is checked by, at the edge and, where AWS gave no answer, by a stage.
LOOKS = (
    "cloudformation:DescribeStacks",
    "ec2:DescribeAddresses",
    "ec2:DescribeAvailabilityZones",
    "ec2:DescribeInstanceTypeOfferings",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSecurityGroups",
    "ec2:DescribeSubnets",
    "ec2:DescribeVpcPeeringConnections",
    "ec2:DescribeVpcs",
    "eks:DescribeCluster",
    "eks:DescribeClusterVersions",
    "iam:GetRole",
    "s3:GetBucketTagging",
    "s3:GetObject",
    # HeadBucket is authorised as this.
    "s3:ListBucket",
    "sagemaker:DescribeCluster",
    "sagemaker:DescribeTrainingPlan",
    "sagemaker:ListClusters",
    "servicequotas:GetServiceQuota",
    "servicequotas:ListServiceQuotas",
)

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
            kind="preflight",
            function="stages_cluster",
            title="Checks that the request left open",
            expected_seconds=10,
            actions=LOOKS,
        ),
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
                "ec2:DescribeVpcPeeringConnections",
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
                "s3:GetBucketTagging",
                "s3:GetObject",
                # HeadBucket is authorised as this.
                "s3:ListBucket",
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
        *LOOKS,
        "states:StartExecution",
        # What a cluster is to take over.
        "ec2:DescribeVpcAttribute",
        "ec2:DescribeRouteTables",
        "ec2:DescribeNatGateways",
        "ec2:DescribeVpcEndpoints",
        "iam:GetRolePolicy",
        "iam:ListRolePolicies",
        "iam:ListAttachedRolePolicies",
        "iam:GetPolicy",
        "iam:GetPolicyVersion",
        "s3:GetBucketAcl",
        "s3:GetBucketPolicyStatus",
        "s3:GetBucketPublicAccessBlock",
    ),
    tools=(
        Tool(
            "cluster_create",
            "create_cluster",
            "Create a cluster",
            "Create an EKS control plane with its network, add-ons, a HyperPod cluster and an S3 mount; without "
            "`hyperpod`, the foundation alone. Look at cluster_list, availability_zone_list and "
            "instance_type_list first. About 25 minutes.",
        ),
        Tool(
            "cluster_list",
            "list_clusters",
            "List clusters",
            "List all clusters, how each stands and what works on it.",
        ),
        Tool(
            "cluster_get",
            "get_cluster",
            "Read a cluster",
            "Read what a cluster was asked to be, its conditions, its names in AWS and its last operation.",
        ),
        Tool(
            "cluster_event_list",
            "list_cluster_events",
            "List cluster events",
            "List what HyperPod told about a cluster and its nodes, newest first: capacity, lifecycle scripts, "
            "node health.",
        ),
        Tool(
            "dependencies_configure",
            "configure_dependencies",
            "Install dependencies",
            "Install the add-ons and charts that HyperPod needs on a cluster whose foundation stands. 3 to 5 minutes.",
        ),
        Tool(
            "hyperpod_cluster_create",
            "create_hyperpod",
            "Create the HyperPod cluster",
            "Create the HyperPod cluster of a cluster whose dependencies stand. 5 to 15 minutes, longer when "
            "capacity is short.",
        ),
        Tool(
            "storage_create",
            "create_storage",
            "Mount the bucket",
            "Mount the cluster's S3 bucket as a claim that pods use.",
        ),
        Tool(
            "active_cluster_get",
            "get_active_cluster",
            "Read the active cluster",
            "Read which cluster the caller has chosen to work with.",
        ),
        Tool(
            "active_cluster_set",
            "put_active_cluster",
            "Choose the active cluster",
            "Choose which cluster the caller works with. It is the caller's own choice and changes nothing for others.",
        ),
    ),
)
