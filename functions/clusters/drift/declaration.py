"""Drift of clusters: detecting it, reading it, bringing back what drifted."""

from __future__ import annotations

from functions.core.declaration import Declaration, Route, Scope, Stage, Tool

# What CloudFormation reads in the name of whoever lets it detect drift, or compare a stack for a change set.
# Source: CloudFormation user guide, "Detect drift on an entire CloudFormation stack": the caller needs read permission
# for each resource of the stack that supports it. The actions are those of the types' read handlers.
READ_BY_CLOUDFORMATION = (
    "ec2:DescribeAddresses",
    "ec2:DescribeInternetGateways",
    "ec2:DescribeNatGateways",
    "ec2:DescribeRouteTables",
    "ec2:DescribeSecurityGroupRules",
    "ec2:DescribeSecurityGroups",
    "ec2:DescribeSubnets",
    "ec2:DescribeVpcAttribute",
    "ec2:DescribeVpcEndpoints",
    "ec2:DescribeVpcs",
    "eks:DescribeAccessEntry",
    "eks:DescribeAddon",
    "eks:DescribeCluster",
    "eks:ListAssociatedAccessPolicies",
    "iam:GetOpenIDConnectProvider",
    "iam:GetRole",
    "iam:GetRolePolicy",
    "iam:ListAttachedRolePolicies",
    "iam:ListRolePolicies",
    "s3:GetBucketPolicy",
    "s3:GetBucketPublicAccessBlock",
    "s3:GetBucketTagging",
    "s3:GetEncryptionConfiguration",
    "s3:ListBucket",
)

DECLARATION = Declaration(
    domain="clusters",
    routes=(
        Route(
            "detect_drift",
            "POST",
            "/api/clusters/{tag}/drift",
            Scope.OPERATE,
            "Compare a cluster with what was made here",
            202,
        ),
        Route("get_drift", "GET", "/api/clusters/{tag}/drift", Scope.READ, "Read what the last detection found"),
        Route(
            "repair_cluster",
            "POST",
            "/api/clusters/{tag}/repair",
            Scope.OPERATE,
            "Bring back what drifted of what was made here",
            202,
        ),
    ),
    stages=(
        Stage(
            kind="foundation_drift",
            function="stages_cluster",
            title="Drift of the foundation",
            expected_seconds=75,
            actions=(
                "cloudformation:DescribeStacks",
                "cloudformation:DetectStackDrift",
                # CloudFormation checks a stack resource by resource.
                "cloudformation:DetectStackResourceDrift",
                "cloudformation:DescribeStackDriftDetectionStatus",
                "cloudformation:DescribeStackResourceDrifts",
                *READ_BY_CLOUDFORMATION,
            ),
        ),
        Stage(
            kind="foundation_repair",
            function="stages_cluster",
            title="Foundation as its template has it",
            expected_seconds=120,
            actions=(
                "cloudformation:DescribeStacks",
                "cloudformation:DescribeStackEvents",
                "cloudformation:CreateChangeSet",
                "cloudformation:DescribeChangeSet",
                "cloudformation:ExecuteChangeSet",
                "cloudformation:DeleteChangeSet",
                # The foundation role changes what has to be changed; this function may only hand it over.
                "iam:PassRole",
                *READ_BY_CLOUDFORMATION,
            ),
            woken_by=("aws.cloudformation",),
        ),
        Stage(
            kind="drift_report",
            function="stages_cluster",
            title="Report of what drifted",
            expected_seconds=5,
            # A condition on another record is a part of a transaction.
            actions=("dynamodb:ConditionCheckItem",),
        ),
    ),
    tools=(
        Tool(
            "drift_detect",
            "detect_drift",
            "Detect drift",
            "Compare a cluster in AWS and Kubernetes with what was made here. It changes nothing in them.",
            repeats=True,
        ),
        Tool(
            "drift_get",
            "get_drift",
            "Read drift",
            "Read what the last drift detection found.",
        ),
        Tool(
            "cluster_repair",
            "repair_cluster",
            "Repair a cluster",
            "Bring back what drifted of what was made here. Detect drift first.",
            destroys=True,
        ),
    ),
)
