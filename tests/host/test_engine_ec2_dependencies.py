"""What EC2 refuses to delete because something uses it, and the interfaces of AWS's own services."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
def vpc(ec2: EC2Client) -> str:
    return ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"].get("VpcId", "")


@pytest.fixture
def subnet(ec2: EC2Client, vpc: str) -> str:
    return ec2.create_subnet(VpcId=vpc, CidrBlock="10.1.0.0/24")["Subnet"]["SubnetId"]


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(ClientError) as error:
        call()
    return error.value.response["Error"]["Code"]


def interfaces(ec2: EC2Client, subnet: str) -> list[tuple[str, str]]:
    found = ec2.describe_network_interfaces(Filters=[{"Name": "subnet-id", "Values": [subnet]}])["NetworkInterfaces"]
    return [(str(each.get("Description")), str(each.get("Status"))) for each in found]


def test_a_group_stays_while_an_interface_has_it_or_another_groups_rule_names_it(
    ec2: EC2Client, vpc: str, subnet: str
) -> None:
    first, second = (
        ec2.create_security_group(GroupName=name, Description=name, VpcId=vpc)["GroupId"] for name in ("one", "two")
    )
    rule: Any = {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": first}]}
    ec2.authorize_security_group_ingress(GroupId=second, IpPermissions=[rule])
    interface = ec2.create_network_interface(SubnetId=subnet, Groups=[second])["NetworkInterface"]
    assert refused(lambda: ec2.delete_security_group(GroupId=first)) == "DependencyViolation"
    assert refused(lambda: ec2.delete_security_group(GroupId=second)) == "DependencyViolation"
    ec2.delete_network_interface(NetworkInterfaceId=interface.get("NetworkInterfaceId", ""))
    ec2.delete_security_group(GroupId=second)
    ec2.delete_security_group(GroupId=first)


def test_a_vpc_stays_while_it_holds_a_group_or_a_gateway(ec2: EC2Client, vpc: str) -> None:
    group = ec2.create_security_group(GroupName="one", Description="one", VpcId=vpc)["GroupId"]
    assert refused(lambda: ec2.delete_vpc(VpcId=vpc)) == "DependencyViolation"
    ec2.delete_security_group(GroupId=group)
    gateway = ec2.create_internet_gateway()["InternetGateway"].get("InternetGatewayId", "")
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    assert refused(lambda: ec2.delete_vpc(VpcId=vpc)) == "DependencyViolation"
    ec2.detach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    ec2.delete_vpc(VpcId=vpc)


def test_a_gateway_stays_attached_and_an_interface_stays_while_a_nat_gateway_uses_them(
    ec2: EC2Client, vpc: str, subnet: str
) -> None:
    gateway = ec2.create_internet_gateway()["InternetGateway"].get("InternetGatewayId", "")
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    address = ec2.allocate_address(Domain="vpc")["AllocationId"]
    nat = ec2.create_nat_gateway(SubnetId=subnet, AllocationId=address)["NatGateway"].get("NatGatewayId", "")
    assert interfaces(ec2, subnet) == [(f"Interface for NAT Gateway {nat}", "in-use")]
    [found] = ec2.describe_network_interfaces(Filters=[{"Name": "subnet-id", "Values": [subnet]}])["NetworkInterfaces"]
    interface = found.get("NetworkInterfaceId", "")
    assert refused(lambda: ec2.delete_network_interface(NetworkInterfaceId=interface)) == "InvalidParameterValue"

    def detach() -> object:
        return ec2.detach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)

    assert refused(detach) == "DependencyViolation"
    ec2.delete_nat_gateway(NatGatewayId=nat)
    detach()
    assert interfaces(ec2, subnet) == []


def test_a_load_balancer_has_an_interface_in_each_subnet_for_as_long_as_it_lives(
    driver: Driver, ec2: EC2Client, subnet: str
) -> None:
    elbv2: Any = driver.host.client("elbv2")  # type: ignore[call-overload]  # no stubs of it are installed
    made = elbv2.create_load_balancer(Name="one", Type="network", Subnets=[subnet])["LoadBalancers"][0]
    [(description, status)] = interfaces(ec2, subnet)
    assert (description.startswith("ELB net/one/"), status) == (True, "in-use")
    assert refused(lambda: ec2.delete_subnet(SubnetId=subnet)) == "DependencyViolation"
    elbv2.delete_load_balancer(LoadBalancerArn=made["LoadBalancerArn"])
    assert interfaces(ec2, subnet) == []
    ec2.delete_subnet(SubnetId=subnet)


def test_load_balancers_are_part_of_a_snapshot(driver: Driver, ec2: EC2Client, subnet: str) -> None:
    elbv2: Any = driver.host.client("elbv2")  # type: ignore[call-overload]  # no stubs of it are installed
    before = driver.host.snapshot()
    elbv2.create_load_balancer(Name="one", Type="network", Subnets=[subnet])
    driver.host.restore(before)
    assert elbv2.describe_load_balancers()["LoadBalancers"] == []
    assert interfaces(ec2, subnet) == []
