"""What the features domain adds to the product."""

from functions.core.declaration import Declaration, Stage

DECLARATION = Declaration(
    domain="features",
    stages=(
        Stage(
            kind="helm_release",
            function="helm",
            title="Helm release",
            expected_seconds=30,
            actions=("eks:DescribeCluster", "sts:AssumeRole", "s3:GetObject", "s3:ListBucket"),
        ),
        Stage(
            kind="helm_release_drift",
            function="helm",
            title="Drift of Helm releases",
            expected_seconds=5,
            actions=(
                "eks:DescribeCluster",
                "sts:AssumeRole",
            ),
        ),
        Stage(
            kind="addon_drift",
            function="stages_cluster",
            title="Drift of EKS add-ons",
            expected_seconds=5,
            actions=(
                "eks:DescribeAddon",
                "eks:DescribeCluster",
                "sts:AssumeRole",
            ),
        ),
        Stage(
            kind="addon",
            function="stages_cluster",
            title="EKS add-on",
            expected_seconds=60,
            actions=(
                "eks:DescribeCluster",
                "sts:AssumeRole",
                "eks:DescribeAddonVersions",
                "eks:DescribeAddonConfiguration",
                "eks:DescribeAddon",
                "eks:CreateAddon",
                "eks:UpdateAddon",
                "eks:DeleteAddon",
                "eks:TagResource",
            ),
        ),
    ),
)
