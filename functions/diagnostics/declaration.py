"""What diagnostics adds to the product: one route that only reads, in a function whose role can do nothing else."""

from functions.core.declaration import Declaration, Route, Scope, Tool

DECLARATION = Declaration(
    domain="diagnostics",
    routes=(
        Route(
            "get_diagnosis",
            "GET",
            "/api/clusters/{tag}/diagnosis",
            Scope.READ,
            "Diagnose a cluster: what keeps it from working",
            function="diagnostics",
        ),
    ),
    tools=(
        Tool(
            "cluster_diagnose",
            "get_diagnosis",
            "Diagnose a cluster",
            "Check what keeps a cluster from working: what fails first, with evidence, remedy and the section of the "
            "runbook that goes on. It changes nothing.",
        ),
    ),
    route_actions=(
        "cloudformation:DescribeStackEvents",
        "cloudformation:DescribeStacks",
        "ec2:DescribeNatGateways",
        "ec2:DescribeNetworkAcls",
        "ec2:DescribeRouteTables",
        "ec2:DescribeSecurityGroups",
        "ec2:DescribeSubnets",
        "ec2:DescribeVpcAttribute",
        "ec2:DescribeVpcEndpoints",
        "eks:DescribeAccessEntry",
        "eks:DescribeAddon",
        "eks:DescribeCluster",
        "eks:ListAddons",
        "eks:ListAssociatedAccessPolicies",
        "iam:GetRole",
        "logs:GetLogEvents",
        "s3:GetObject",
        "s3:ListBucket",
        "sagemaker:DescribeCluster",
        "sagemaker:DescribeClusterEvent",
        "sagemaker:DescribeTrainingPlan",
        "sagemaker:ListClusterEvents",
        "sagemaker:ListClusterNodes",
        "servicequotas:GetServiceQuota",
        "servicequotas:ListServiceQuotas",
    ),
)
