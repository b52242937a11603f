"""Addresses: nodes that find none in their subnet are refused before anything is made, with what would help."""

from __future__ import annotations

import pytest

from infra.local.faults import Fault, Kind
from tests.host.driver import Driver, stage_of
from tests.workflows.subnets import HYPERPOD, NAME, ZONE, alone, asking, compute_subnets, ec2, facts, the_subnet

__all__ = ["alone"]

OTHER_ZONE = "us-west-2b"
BIG = {"name": "big", "instance_type": "ml.p5.48xlarge", "instance_count": 60}


@pytest.mark.case(22)
@pytest.mark.usefixtures("alone")
def test_too_many_nodes_for_a_subnet_are_refused_with_figures_and_either_remedy_helps(
    driver_of_prepared: Driver,
) -> None:
    driver = driver_of_prepared
    for body, path, prefix in (
        (asking(BIG), HYPERPOD, ""),
        ({"tag": "new", "hyperpod": asking(BIG)}, "/api/clusters", "hyperpod."),
    ):
        answer = driver.send("POST", path, body)
        assert (answer.status, answer.body["code"]) == (409, "conflict")
        assert answer.body["cause"]["code"] == "SUBNET_IP_SHORTAGE"
        assert "needs 4860 addresses" in answer.body["detail"]
        assert "has 4091" in answer.body["detail"]
        assert answer.fields == [f"{prefix}instance_groups[0].instance_count"]
        for remedy in ("network_interface: efa_only", "dedicated_subnet: true", "subnet_prefix: 19"):
            assert remedy in answer.body["remedy"]
    spared = driver.run(HYPERPOD, asking(BIG | {"network_interface": "efa_only"}))
    assert spared["status"] == "SUCCEEDED", spared["error"]
    apart = driver.run(HYPERPOD, asking(BIG | {"dedicated_subnet": True}))
    assert apart["status"] == "SUCCEEDED", apart["error"]
    assert facts(driver, f"{NAME}-big")["size"] == "19"
    # The zone's subnet stands by now, and is named.
    answer = driver.send("POST", HYPERPOD, asking(BIG))
    assert answer.body["cause"]["resource"] == the_subnet(driver)["SubnetId"]
    assert "subnet_prefix" not in answer.body["remedy"]


@pytest.mark.case(22)
@pytest.mark.usefixtures("alone")
def test_the_stage_counts_addresses_before_it_makes_anything(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    # Neither the edge nor its look anew may see subnets.
    roles = ("function-api", "function-stages_cluster")
    unseen = [Fault("ec2", "DescribeSubnets", Kind.DENY, role=role) for role in roles]
    failed = driver.failing(HYPERPOD, asking(BIG), *unseen)
    assert (failed["status"], failed["error"]["status"]) == ("FAILED", 409)
    assert stage_of(failed, f"compute_subnet:{ZONE}")["status"] == "FAILED"
    assert failed["error"]["cause"]["code"] == "SUBNET_IP_SHORTAGE"
    assert compute_subnets(driver) == []


@pytest.mark.case(22)
@pytest.mark.usefixtures("alone")
def test_groups_that_share_a_subnet_share_its_addresses(driver_of_prepared: Driver) -> None:
    half = BIG | {"instance_count": 30}
    together = asking(half, half | {"name": "more"})
    answer = driver_of_prepared.send("POST", HYPERPOD, together)
    assert (answer.status, len(answer.fields)) == (409, 2)
    apart = asking(half, half | {"name": "more", "availability_zone": OTHER_ZONE})
    assert driver_of_prepared.run(HYPERPOD, apart)["status"] == "SUCCEEDED"


def leave_free(driver: Driver, count: int) -> None:
    """Let only so many addresses of the zone's subnet be free."""
    subnet = the_subnet(driver)
    taken = subnet["AvailableIpAddressCount"] - count
    if taken:
        ec2(driver).create_network_interface(SubnetId=subnet["SubnetId"], SecondaryPrivateIpAddressCount=taken - 1)
    assert the_subnet(driver)["AvailableIpAddressCount"] == count


# One node takes 30 of the 59 addresses of a /26.
SMALL = asking(subnet_prefix=26)


def test_nodes_that_run_have_their_addresses_and_are_not_counted_again(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    blind = Fault("sts", "AssumeRole", Kind.DENY, times=99, role="stages_workloads")
    failed = driver.failing(HYPERPOD, SMALL, blind)
    assert failed["status"] == "FAILED"
    assert stage_of(failed, "hyperpod_cluster")["status"] == "SUCCEEDED"
    leave_free(driver, 29)
    operation = driver.run(HYPERPOD, SMALL)
    assert operation["status"] == "SUCCEEDED", operation["error"]


def test_nodes_that_are_being_set_up_have_their_addresses_too(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    begun = driver.post(HYPERPOD, SMALL)
    driver.until_said(begun["operation_id"], "hyperpod_cluster", "InService", every=10)
    assert driver.cancel(begun["operation_id"]).status == 202
    assert driver.finish(begun["operation_id"], within=100)["status"] == "CANCELLED"
    nodes = driver.host.client("sagemaker").list_cluster_nodes(ClusterName="hp-cluster-base")["ClusterNodeSummaries"]
    assert [node["InstanceStatus"]["Status"] for node in nodes] == ["Pending"]
    leave_free(driver, 29)
    operation = driver.run(HYPERPOD, SMALL)
    assert operation["status"] == "SUCCEEDED", operation["error"]


def test_the_nodes_still_to_come_are_counted_when_others_stand(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    begun = driver.post(HYPERPOD, SMALL)
    driver.until_said(begun["operation_id"], "hyperpod_cluster", "InService", every=10)
    driver.cancel(begun["operation_id"])
    driver.finish(begun["operation_id"], within=100)
    leave_free(driver, 5)
    more = asking({}, {"name": "more", "instance_type": "ml.c5.large"}, subnet_prefix=26)
    # The edge refuses other groups than those that stand, unless it does not see them.
    assert driver.send("POST", HYPERPOD, more).body["cause"]["code"] == "LEFTOVER"
    roles = ("function-api", "function-stages_cluster")
    unseen = [Fault("sagemaker", "DescribeCluster", Kind.DENY, role=role) for role in roles]
    failed = driver.failing(HYPERPOD, more, *unseen)
    assert (failed["status"], failed["error"]["cause"]["code"]) == ("FAILED", "SUBNET_IP_SHORTAGE")
    assert "needs 10 addresses" in failed["error"]["detail"]
