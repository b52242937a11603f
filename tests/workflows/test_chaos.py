"""Any one call of a stage may be throttled, fail, or take its worker along: the operation succeeds, nothing is doubled.

Faults of one kind strike many calls in one run. A turn is tried five times, so at most four kills fall on one stage.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from infra.local.faults import Fault, Kind
from tests.host.driver import Driver, hyperpod_request, statuses

Call = tuple[str, str]

FOUNDATION = (
    ("cloudformation", "CreateStack"),
    ("cloudformation", "DescribeStacks"),
    ("cloudformation", "DescribeStackResources"),
    ("ec2", "DescribeVpcs"),
    ("ec2", "DescribeAvailabilityZones"),
    ("eks", "DescribeClusterVersions"),
    ("eks", "DescribeAddonVersions"),
)
DEPENDENCIES = (
    ("eks", "CreateAccessEntry"),
    ("eks", "DescribeAccessEntry"),
    ("eks", "AssociateAccessPolicy"),
    ("eks", "ListAssociatedAccessPolicies"),
    ("eks", "CreateAddon"),
    ("eks", "DescribeAddon"),
    ("cloudformation", "DescribeStacks"),
)
WRITES = (
    ("ec2", "CreateSubnet"),
    ("ec2", "CreateRouteTable"),
    ("ec2", "CreateRoute"),
    ("ec2", "AssociateRouteTable"),
    ("ec2", "ModifyVpcEndpoint"),
    ("s3", "CopyObject"),
    ("sagemaker", "CreateCluster"),
)
READS = (
    ("ec2", "DescribeSubnets"),
    ("ec2", "DescribeRouteTables"),
    ("ec2", "DescribeVpcEndpoints"),
    ("s3", "HeadObject"),
    ("sagemaker", "DescribeCluster"),
    ("sagemaker", "ListClusterEvents"),
    ("eks", "DescribeCluster"),
    ("sts", "AssumeRole"),
)
ROLE = "arn:aws:iam::123456789012:role/instantstart/us-west-2/instantstart-kubernetes-admin-us-west-2"
WHOLE = {
    "stack": 1,
    "eks": 1,
    "addons": 5,
    "access_entries": 3,
    "vpcs": 1,
    "subnets": 5,
    "route_tables": 3,
    "hyperpod": 1,
}


def faults(calls: tuple[Call, ...], *kinds: Kind) -> list[Fault]:
    """Let the first call of each operation meet the first kind of fault, the second call the second, and so on."""
    return [
        Fault(service, name, kind, first=first, role="function-stages")
        for service, name in calls
        for first, kind in enumerate(kinds, 1)
    ]


# The client sends a call four times at most, so it outlasts all three by itself.
TRANSIENT = (Kind.THROTTLE, Kind.FAIL_BEFORE, Kind.FAIL_AFTER)
DEADLY = (Kind.KILL_BEFORE, Kind.KILL_AFTER)


@pytest.mark.parametrize(
    "planned",
    [
        pytest.param(lambda: faults(FOUNDATION, *TRANSIENT), id="failing"),
        pytest.param(lambda: faults(FOUNDATION[:1], *DEADLY) + faults(FOUNDATION[1:3], DEADLY[0]), id="dying"),
    ],
)
def test_a_foundation_outlasts_any_fault_and_is_made_once(driver: Driver, planned: Callable[[], list[Fault]]) -> None:
    operation = driver.failing("/api/clusters", {"tag": "t1"}, *planned())
    assert operation["status"] == "SUCCEEDED"
    assert (driver.made("t1")["stack"], driver.made("t1")["vpcs"]) == (1, 1)
    assert len(operation["result"]["resources"]) == 1


@pytest.mark.parametrize(
    "planned",
    [
        pytest.param(lambda: faults(DEPENDENCIES, *TRANSIENT), id="failing"),
        pytest.param(
            lambda: (
                faults(DEPENDENCIES[0:3:2], Kind.KILL_AFTER)
                + faults(DEPENDENCIES[1:4:2], Kind.KILL_BEFORE)
                + faults(DEPENDENCIES[4:6], *DEADLY)
            ),
            id="dying",
        ),
    ],
)
def test_dependencies_outlast_any_fault_and_are_made_once(
    driver_of_base: Driver, planned: Callable[[], list[Fault]]
) -> None:
    driver = driver_of_base
    # An entry that is gone, so that there is one to create.
    driver.host.client("eks").delete_access_entry(clusterName="eks-cluster-base", principalArn=ROLE)
    operation = driver.failing("/api/clusters/base/dependencies", {}, *planned())
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert set(statuses(operation).values()) == {"SUCCEEDED"}
    assert (driver.made("base")["addons"], driver.made("base")["access_entries"]) == (5, 2)


@pytest.mark.parametrize(
    "planned",
    [
        pytest.param(lambda: faults(WRITES + READS, *TRANSIENT), id="failing"),
        pytest.param(lambda: faults(WRITES[:2] + WRITES[5:], *DEADLY), id="dying"),
        pytest.param(lambda: faults(WRITES[2:4] + READS[3:4] + READS[5:6], *DEADLY), id="dying elsewhere"),
        pytest.param(
            lambda: (
                faults(WRITES[4:5] + READS[6:], *DEADLY)
                + faults(READS[:2], Kind.HANG)
                + faults(WRITES[5:], *[Kind.THROTTLE] * 5)
            ),
            id="hanging, and throttled for long",
        ),
    ],
)
def test_a_hyperpod_cluster_outlasts_any_fault_and_is_made_once(
    driver_of_prepared: Driver, planned: Callable[[], list[Fault]]
) -> None:
    driver = driver_of_prepared
    operation = driver.failing("/api/clusters/base/hyperpod", hyperpod_request(), *planned())
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert driver.made("base") == WHOLE
    assert [(group["count"], group["ready"]) for group in operation["result"]["nodes"]] == [(1, 1)]
