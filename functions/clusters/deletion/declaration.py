"""What the deletion of clusters adds to the product."""

from __future__ import annotations

from functions.core.declaration import Declaration, Route, Scope, Stage, Tool

# What is known of a VPC's contents, and of what services left behind in it.
_LOOK_AROUND = (
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeRouteTables",
    "ec2:DescribeSecurityGroups",
    "ec2:DescribeSubnets",
    "ec2:DescribeVpcEndpoints",
)
_CLEAR = ("ec2:DeleteNetworkInterface", "ec2:DeleteSecurityGroup")
_ENTER = ("eks:DescribeCluster", "sts:AssumeRole")

DECLARATION = Declaration(
    domain="clusters",
    routes=(
        Route(
            "delete_cluster",
            "DELETE",
            "/api/clusters/{tag}",
            Scope.ADMIN,
            "Delete a cluster with all that was made for it",
            202,
            # What is left in a cluster that stays is asked of it.
            function="kubernetes",
        ),
        Route(
            "delete_hyperpod",
            "DELETE",
            "/api/clusters/{tag}/hyperpod",
            Scope.ADMIN,
            "Delete the HyperPod cluster of a cluster",
            202,
            function="kubernetes",
        ),
    ),
    stages=(
        Stage(
            kind="load_balancers_removal",
            function="helm",
            title="End of the load balancers of Services and Ingresses",
            expected_seconds=60,
            actions=_ENTER,
        ),
        Stage(
            kind="own_objects_removal",
            function="helm",
            title="End of our objects in the cluster",
            expected_seconds=10,
            actions=_ENTER,
        ),
        Stage(
            kind="helm_release_removal",
            function="helm",
            title="End of the Helm release",
            expected_seconds=20,
            actions=_ENTER,
        ),
        Stage(
            kind="hyperpod_removal",
            function="stages_cluster",
            title="End of the HyperPod cluster",
            expected_seconds=420,
            actions=(
                "sagemaker:DescribeCluster",
                "sagemaker:DeleteCluster",
                "sagemaker:ListClusterNodes",
                "sagemaker:ListTags",
            ),
            woken_by=("aws.sagemaker",),
        ),
        Stage(
            kind="addons_removal",
            function="stages_cluster",
            title="End of the add-ons",
            expected_seconds=60,
            actions=("eks:DescribeCluster", "eks:DescribeAddon", "eks:DeleteAddon"),
        ),
        Stage(
            kind="compute_subnets_removal",
            function="stages_network",
            title="End of the compute subnets",
            expected_seconds=120,
            actions=(
                "ec2:DescribeNetworkInterfaces",
                "ec2:DescribeRouteTables",
                "ec2:DescribeSubnets",
                "ec2:DescribeVpcEndpoints",
                "ec2:DeleteNetworkInterface",
                "ec2:DeleteRouteTable",
                "ec2:DeleteSubnet",
                "ec2:ModifyVpcEndpoint",
            ),
        ),
        Stage(
            kind="vpc_clearance",
            function="stages_network",
            title="What is left in the VPC",
            expected_seconds=30,
            actions=(
                "cloudformation:DescribeStacks",
                "cloudformation:DescribeStackResources",
                "eks:DescribeCluster",
                *_LOOK_AROUND,
                *_CLEAR,
            ),
        ),
        Stage(
            kind="foundation_removal",
            function="stages_cluster",
            title="End of network, EKS control plane and roles",
            expected_seconds=420,
            actions=(
                "cloudformation:DescribeStacks",
                "cloudformation:DescribeStackResources",
                "cloudformation:DeleteStack",
                "eks:DescribeCluster",
                # The stack is deleted by the foundation role; this function may only hand it over.
                "iam:PassRole",
                *_LOOK_AROUND,
                *_CLEAR,
            ),
            woken_by=("aws.cloudformation",),
        ),
        Stage(
            kind="bucket_removal",
            function="stages_cluster",
            title="End of the bucket",
            expected_seconds=30,
            actions=(
                "s3:ListBucket",
                "s3:GetBucketTagging",
                "s3:ListBucketVersions",
                "s3:ListBucketMultipartUploads",
                "s3:DeleteObject",
                "s3:DeleteObjectVersion",
                "s3:AbortMultipartUpload",
                "s3:DeleteBucket",
            ),
        ),
        Stage(
            kind="absence",
            function="stages_cluster",
            title="Last look at what is gone and what is kept",
            expected_seconds=10,
            actions=(
                "cloudformation:DescribeStacks",
                "ec2:DescribeNetworkInterfaces",
                "ec2:DescribeSubnets",
                "ec2:DescribeVolumes",
                "eks:DescribeCluster",
                "logs:DescribeLogGroups",
                "s3:ListBucket",
                "sagemaker:DescribeCluster",
                "sagemaker:ListTags",
            ),
        ),
    ),
    route_actions=(
        "cloudformation:DescribeStacks",
        "cloudformation:DescribeStackResources",
        "ec2:DescribeNetworkInterfaces",
        "ec2:DescribeSubnets",
        "ec2:DescribeVolumes",
        "eks:DescribeAddon",
        "eks:DescribeCluster",
        "eks:ListAddons",
        "iam:GetRole",
        "logs:DescribeLogGroups",
        "s3:GetBucketTagging",
        "s3:ListBucket",
        "sagemaker:DescribeCluster",
        "sagemaker:ListTags",
    ),
    tools=(
        Tool(
            "cluster_delete",
            "delete_cluster",
            "Delete a cluster",
            "Delete a cluster with all that was made for it. Show the person the preview of dry_run and ask "
            "before confirming.",
            destroys=True,
        ),
        Tool(
            "hyperpod_cluster_delete",
            "delete_hyperpod",
            "Delete the HyperPod cluster",
            "Delete a cluster's HyperPod cluster with all its nodes; the EKS cluster stays. Show the person the "
            "preview of dry_run and ask before confirming.",
            destroys=True,
        ),
    ),
)
