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
        Stage(
            kind="identity_chain",
            function="stages_identity",
            title="Identity chain",
            expected_seconds=10,
            actions=(
                "eks:DescribeCluster",
                "eks:DescribeAddon",
                "eks:ListPodIdentityAssociations",
                "eks:DescribePodIdentityAssociation",
                "eks:CreatePodIdentityAssociation",
                "eks:UpdatePodIdentityAssociation",
                "eks:TagResource",
                "iam:GetRole",
                "iam:CreateRole",
                "iam:TagRole",
                "iam:PassRole",
                "iam:UpdateAssumeRolePolicy",
                "iam:ListRolePolicies",
                "iam:GetRolePolicy",
                "iam:PutRolePolicy",
                "iam:ListAttachedRolePolicies",
                "iam:AttachRolePolicy",
                "iam:GetOpenIDConnectProvider",
                "iam:CreateOpenIDConnectProvider",
                "iam:TagOpenIDConnectProvider",
                "iam:AddClientIDToOpenIDConnectProvider",
                "sts:AssumeRole",
            ),
        ),
    ),
)
