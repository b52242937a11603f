"""The engine's EC2 has the quotas that Service Quotas shows: what is beyond them is refused, and nothing is made."""

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


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(ClientError) as error:
        call()
    return str(error.value.response["Error"]["Code"])


@pytest.mark.case(6)
def test_a_sixth_vpc_is_refused_until_the_quota_is_raised(driver: Driver, ec2: EC2Client) -> None:
    for number in range(4):  # the default VPC is one too
        ec2.create_vpc(CidrBlock=f"10.{number}.0.0/16")
    assert refused(lambda: ec2.create_vpc(CidrBlock="10.9.0.0/16")) == "VpcLimitExceeded"
    assert len(ec2.describe_vpcs()["Vpcs"]) == 5
    driver.host.world.quotas.set_quota("VPCs per Region", 6)
    ec2.create_vpc(CidrBlock="10.9.0.0/16")


@pytest.mark.case(6)
def test_a_sixth_elastic_ip_is_refused_until_one_is_released(ec2: EC2Client) -> None:
    first = ec2.allocate_address(Domain="vpc")["AllocationId"]
    for _ in range(4):
        ec2.allocate_address(Domain="vpc")
    assert refused(lambda: ec2.allocate_address(Domain="vpc")) == "AddressLimitExceeded"
    ec2.release_address(AllocationId=first)
    ec2.allocate_address(Domain="vpc")


def test_interfaces_beyond_the_quota_are_refused(driver: Driver, ec2: EC2Client) -> None:
    subnet = ec2.describe_subnets()["Subnets"][0]["SubnetId"]
    ec2.create_network_interface(SubnetId=subnet)
    driver.host.world.quotas.set_quota("Network interfaces per Region", 1)
    assert refused(lambda: ec2.create_network_interface(SubnetId=subnet)) == "NetworkInterfaceLimitExceeded"
