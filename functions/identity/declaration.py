"""What the identity domain adds to the product."""

from functions.core.declaration import Declaration, Stage

DECLARATION = Declaration(
    domain="identity",
    stages=(
        Stage(
            kind="access_entry",
            function="stages_cluster",
            title="Access entry",
            expected_seconds=5,
            actions=(
                "eks:DescribeAccessEntry",
                "eks:CreateAccessEntry",
                "eks:UpdateAccessEntry",
                "eks:ListAssociatedAccessPolicies",
                "eks:AssociateAccessPolicy",
                "eks:DisassociateAccessPolicy",
            ),
        ),
        Stage(
            kind="cluster_role",
            function="helm",
            title="Cluster role",
            expected_seconds=5,
            actions=("eks:DescribeCluster", "sts:AssumeRole"),
        ),
    ),
)
