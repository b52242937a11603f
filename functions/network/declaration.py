"""What the network domain adds to the product."""

from functions.core.declaration import Declaration, Route, Scope, Stage, Tool

DECLARATION = Declaration(
    domain="network",
    routes=(
        Route(
            "list_subnets",
            "GET",
            "/api/clusters/{tag}/subnets",
            Scope.READ,
            "List the compute subnets of a cluster",
        ),
    ),
    stages=(
        Stage(
            kind="reuse",
            function="stages_network",
            title="What is taken over",
            expected_seconds=5,
            actions=(
                "ec2:DescribeVpcs",
                "ec2:DescribeVpcAttribute",
                "ec2:DescribeSubnets",
                "ec2:DescribeRouteTables",
                "ec2:DescribeNatGateways",
                "ec2:DescribeVpcEndpoints",
                "ec2:DescribeSecurityGroups",
                "ec2:CreateTags",
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
                "s3:GetBucketTagging",
            ),
        ),
        Stage(
            kind="compute_subnet",
            function="stages_network",
            title="Compute subnet",
            expected_seconds=10,
            actions=(
                "cloudformation:DescribeStacks",
                "ec2:DescribeAvailabilityZones",
                "ec2:DescribeVpcs",
                "ec2:DescribeSubnets",
                "ec2:DescribeRouteTables",
                "ec2:DescribeNatGateways",
                "ec2:DescribeVpcEndpoints",
                "ec2:CreateSubnet",
                "ec2:DeleteSubnet",
                "ec2:CreateRouteTable",
                "ec2:DeleteRouteTable",
                "ec2:CreateRoute",
                "ec2:ReplaceRoute",
                "ec2:AssociateRouteTable",
                "ec2:ReplaceRouteTableAssociation",
                "ec2:ModifyVpcEndpoint",
                "ec2:CreateTags",
                # How many instances of a group have their addresses already.
                "sagemaker:ListClusterNodes",
            ),
        ),
        Stage(
            kind="compute_subnet_drift",
            function="stages_network",
            title="Drift of compute subnets",
            expected_seconds=5,
            actions=(
                "cloudformation:DescribeStacks",
                "ec2:DescribeSubnets",
                "ec2:DescribeRouteTables",
                "ec2:DescribeNatGateways",
                "ec2:DescribeVpcEndpoints",
            ),
        ),
    ),
    route_actions=("ec2:DescribeSubnets",),
    tools=(
        Tool(
            "subnet_list",
            "list_subnets",
            "List compute subnets",
            "List the subnets of a cluster's nodes, their zones and free addresses.",
        ),
    ),
)
