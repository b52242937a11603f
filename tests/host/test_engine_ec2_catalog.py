"""What the engine's EC2 does with its lists of instance types that moto alone does not: pages and limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from botocore.exceptions import ClientError

from tests.host.driver import Driver

if TYPE_CHECKING:
    from types_boto3_ec2 import EC2Client


@pytest.fixture
def ec2(driver: Driver) -> EC2Client:
    return driver.host.client("ec2")


def test_instance_types_come_in_pages_of_a_hundred(ec2: EC2Client) -> None:
    pages = [page["InstanceTypes"] for page in ec2.get_paginator("describe_instance_types").paginate()]
    names = [kind["InstanceType"] for page in pages for kind in page if "InstanceType" in kind]
    assert {len(page) for page in pages[:-1]} == {100}
    assert len(names) == len(set(names)) > 1_000
    few = ec2.describe_instance_types(MaxResults=5)
    assert (len(few["InstanceTypes"]), bool(few.get("NextToken"))) == (5, True)


def test_offerings_come_in_pages_of_a_thousand(ec2: EC2Client) -> None:
    paginator = ec2.get_paginator("describe_instance_type_offerings")
    sizes = [len(page["InstanceTypeOfferings"]) for page in paginator.paginate(LocationType="availability-zone")]
    assert len(sizes) > 1
    assert set(sizes[:-1]) == {1_000}


def test_a_request_has_at_most_two_hundred_values_of_filters(ec2: EC2Client) -> None:
    values = [f"c5.{number}xlarge" for number in range(201)]
    with pytest.raises(ClientError) as error:
        ec2.describe_instance_types(Filters=[{"Name": "instance-type", "Values": values}])
    assert error.value.response["Error"]["Code"] == "FilterLimitExceeded"
    assert ec2.describe_instance_types(Filters=[{"Name": "instance-type", "Values": values[:200]}])["InstanceTypes"]
