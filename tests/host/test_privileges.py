"""What the local host refuses a role, by the resources that a call is about and not only by those that it names."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError

from tests.host.driver import Driver


def test_a_stage_takes_no_route_table_from_a_subnet_of_somebody_else(driver: Driver) -> None:
    ec2 = driver.host.client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.9.0.0/24")["Subnet"]["SubnetId"]
    theirs, other = (ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"] for _ in range(2))
    association = ec2.associate_route_table(RouteTableId=theirs, SubnetId=subnet)["AssociationId"]
    stage = driver.host.client_of_role("ec2", driver.host.deployed.function_roles["stages_network"])
    # Neither parameter names the subnet: the association is its.
    with pytest.raises(ClientError, match="UnauthorizedOperation") as refused:
        stage.replace_route_table_association(AssociationId=association, RouteTableId=other)  # type: ignore[attr-defined]
    assert f"on resource: arn:aws:ec2:us-west-2:123456789012:subnet/{subnet} " in str(refused.value)
    [table] = ec2.describe_route_tables(RouteTableIds=[theirs])["RouteTables"]
    assert [each["SubnetId"] for each in table["Associations"]] == [subnet]
