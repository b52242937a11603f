"""What the network domain adds to the product."""

from functions.core.declaration import Declaration, Stage

DECLARATION = Declaration(
    domain="network",
    stages=(
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
                "ec2:DescribeVpcEndpoints",
                "ec2:CreateSubnet",
                "ec2:CreateRouteTable",
                "ec2:CreateRoute",
                "ec2:ReplaceRoute",
                "ec2:AssociateRouteTable",
                "ec2:ModifyVpcEndpoint",
                "ec2:CreateTags",
            ),
        ),
    ),
)
