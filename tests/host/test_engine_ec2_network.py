"""What the engine's EC2 does that moto alone does not: routes into nothing, tables and subnets that are in use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from botocore.exceptions import ClientError

from tests.host.driver import Driver

if TYPE_CHECKING:
    from collections.abc import Callable

    from types_boto3_ec2 import EC2Client


@pytest.fixture
def ec2(driver: Driver) -> EC2Client:
    return driver.host.client("ec2")


@pytest.fixture
def subnet(ec2: EC2Client) -> str:
    vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"].get("VpcId", "")
    return ec2.create_subnet(VpcId=vpc, CidrBlock="10.1.0.0/24")["Subnet"]["SubnetId"]


def make_table(ec2: EC2Client, subnet: str) -> str:
    vpc = ec2.describe_subnets(SubnetIds=[subnet])["Subnets"][0]["VpcId"]
    return ec2.create_route_table(VpcId=vpc)["RouteTable"].get("RouteTableId", "")


def refused(call: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(ClientError) as error:
        call()
    return error.value.response["Error"]["Code"], error.value.response["Error"]["Message"]


def test_a_route_is_a_blackhole_once_its_nat_gateway_is_gone(ec2: EC2Client, subnet: str) -> None:
    table = make_table(ec2, subnet)
    nat = ec2.create_nat_gateway(SubnetId=subnet, ConnectivityType="private")["NatGateway"].get("NatGatewayId", "")
    ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", NatGatewayId=nat)

    def states() -> dict[str, str]:
        [found] = ec2.describe_route_tables(RouteTableIds=[table])["RouteTables"]
        routes = found.get("Routes", [])
        return {route.get("DestinationCidrBlock", ""): str(route.get("State")) for route in routes}

    assert states() == {"10.1.0.0/16": "active", "0.0.0.0/0": "active"}
    ec2.delete_nat_gateway(NatGatewayId=nat)
    assert states() == {"10.1.0.0/16": "active", "0.0.0.0/0": "blackhole"}


def test_a_subnet_has_one_route_table_until_it_is_replaced(ec2: EC2Client, subnet: str) -> None:
    first, second = make_table(ec2, subnet), make_table(ec2, subnet)
    link = ec2.associate_route_table(RouteTableId=first, SubnetId=subnet)["AssociationId"]
    assert ec2.associate_route_table(RouteTableId=first, SubnetId=subnet)["AssociationId"] == link
    code, message = refused(lambda: ec2.associate_route_table(RouteTableId=second, SubnetId=subnet))
    assert (code, second in message) == ("Resource.AlreadyAssociated", True)
    ec2.replace_route_table_association(AssociationId=link, RouteTableId=second)
    code, _ = refused(lambda: ec2.replace_route_table_association(AssociationId=link, RouteTableId=first))
    assert code == "InvalidAssociationID.NotFound"


def test_a_subnet_in_which_an_interface_stands_cannot_be_deleted(ec2: EC2Client, subnet: str) -> None:
    interface = ec2.create_network_interface(SubnetId=subnet)["NetworkInterface"].get("NetworkInterfaceId", "")
    code, message = refused(lambda: ec2.delete_subnet(SubnetId=subnet))
    assert (code, subnet in message) == ("DependencyViolation", True)
    ec2.delete_network_interface(NetworkInterfaceId=interface)
    ec2.delete_subnet(SubnetId=subnet)
    assert refused(lambda: ec2.describe_subnets(SubnetIds=[subnet]))[0] == "InvalidSubnetID.NotFound"


def test_a_nat_gateway_leaves_no_interface_behind(ec2: EC2Client, subnet: str) -> None:
    nat = ec2.create_nat_gateway(SubnetId=subnet, ConnectivityType="private")["NatGateway"].get("NatGatewayId", "")
    assert refused(lambda: ec2.delete_subnet(SubnetId=subnet))[0] == "DependencyViolation"
    ec2.delete_nat_gateway(NatGatewayId=nat)
    ec2.delete_subnet(SubnetId=subnet)


def test_a_route_table_is_made_once_for_a_client_token(ec2: EC2Client, subnet: str) -> None:
    vpc = ec2.describe_subnets(SubnetIds=[subnet])["Subnets"][0]["VpcId"]

    def make(token: str) -> str:
        return ec2.create_route_table(VpcId=vpc, ClientToken=token)["RouteTable"].get("RouteTableId", "")

    first, again, other = make("one"), make("one"), make("two")
    assert (first == again, first == other) == (True, False)
    assert make_table(ec2, subnet) not in (first, other)


def test_the_address_of_a_nat_gateway_that_is_gone_may_serve_another(ec2: EC2Client, subnet: str) -> None:
    address = ec2.allocate_address(Domain="vpc")["AllocationId"]
    nat = ec2.create_nat_gateway(SubnetId=subnet, AllocationId=address)["NatGateway"].get("NatGatewayId", "")
    refused(lambda: ec2.create_nat_gateway(SubnetId=subnet, AllocationId=address))
    ec2.delete_nat_gateway(NatGatewayId=nat)
    assert ec2.create_nat_gateway(SubnetId=subnet, AllocationId=address)["NatGateway"].get("State") == "available"


def test_a_route_table_that_joins_a_gateway_endpoint_has_its_route_until_one_of_them_goes(
    ec2: EC2Client, subnet: str
) -> None:
    vpc = ec2.describe_subnets(SubnetIds=[subnet])["Subnets"][0]["VpcId"]
    first, second, service = make_table(ec2, subnet), make_table(ec2, subnet), "com.amazonaws.us-west-2.s3"
    made = ec2.create_vpc_endpoint(VpcId=vpc, ServiceName=service, VpcEndpointType="Gateway", RouteTableIds=[first])
    endpoint = made["VpcEndpoint"].get("VpcEndpointId", "")

    def through(table: str) -> list[str]:
        [found] = ec2.describe_route_tables(RouteTableIds=[table])["RouteTables"]
        return [route.get("GatewayId", "") for route in found.get("Routes", []) if route.get("GatewayId") == endpoint]

    ec2.modify_vpc_endpoint(VpcEndpointId=endpoint, AddRouteTableIds=[second])
    assert (through(first), through(second)) == ([endpoint], [endpoint])
    ec2.modify_vpc_endpoint(VpcEndpointId=endpoint, RemoveRouteTableIds=[first])
    assert (through(first), through(second)) == ([], [endpoint])
    ec2.delete_vpc_endpoints(VpcEndpointIds=[endpoint])
    assert through(second) == []
