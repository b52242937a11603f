"""What the capacity domain adds to the product."""

from functions.core.declaration import Declaration, Stage

DECLARATION = Declaration(
    domain="capacity",
    stages=(
        Stage(
            kind="lifecycle_scripts",
            function="stages_cluster",
            title="Lifecycle scripts",
            expected_seconds=5,
            actions=("s3:GetObject", "s3:ListBucket", "s3:PutObject"),
        ),
        Stage(
            kind="hyperpod_cluster",
            function="stages_cluster",
            title="HyperPod cluster",
            expected_seconds=600,
            actions=(
                "cloudformation:DescribeStacks",
                "sagemaker:DescribeCluster",
                "sagemaker:CreateCluster",
                "sagemaker:UpdateCluster",
                # UpdateCluster calls these where counts change.
                "sagemaker:BatchAddClusterNodes",
                "sagemaker:BatchDeleteClusterNodes",
                "sagemaker:AddTags",
                "sagemaker:DeleteCluster",
                "sagemaker:DescribeClusterEvent",
                "sagemaker:ListClusterEvents",
                "sagemaker:ListClusterNodes",
                "sagemaker:ListTags",
                # What is there in place of capacity that is short.
                "ec2:DescribeInstanceTypeOfferings",
                "sagemaker:SearchTrainingPlanOfferings",
                # The log of a lifecycle script that failed.
                "logs:GetLogEvents",
                # CreateCluster calls these on the caller's behalf.
                # Source: SageMaker developer guide, "IAM users for cluster admin" of HyperPod on EKS.
                "iam:PassRole",
                "iam:CreateServiceLinkedRole",
                "eks:DescribeCluster",
                "eks:CreateAccessEntry",
                "eks:DescribeAccessEntry",
                "eks:DeleteAccessEntry",
                "eks:AssociateAccessPolicy",
            ),
            woken_by=("aws.sagemaker",),
        ),
        Stage(
            kind="hyperpod_drift",
            function="stages_cluster",
            title="Drift of the HyperPod cluster",
            expected_seconds=5,
            actions=("s3:GetObject", "s3:ListBucket", "sagemaker:DescribeCluster", "sagemaker:ListTags"),
        ),
        Stage(
            kind="hyperpod_nodes",
            function="stages_workloads",
            title="HyperPod nodes",
            expected_seconds=60,
            actions=("eks:DescribeCluster", "sagemaker:ListClusterNodes", "sts:AssumeRole"),
            woken_by=("aws.sagemaker",),
        ),
    ),
)
