"""What the features domain adds to the product."""

from functions.core.declaration import Declaration, Stage

DECLARATION = Declaration(
    domain="features",
    stages=(
        Stage(
            kind="addon",
            function="stages_cluster",
            title="EKS add-on",
            expected_seconds=60,
            actions=(
                "cloudformation:DescribeStacks",
                "eks:DescribeAddon",
                "eks:CreateAddon",
                "eks:DeleteAddon",
                "eks:TagResource",
                "eks:CreatePodIdentityAssociation",
                "iam:PassRole",
            ),
        ),
    ),
)
