"""The foundation when its stack does not come to be: zones that EKS refuses, quotas, missing artifacts, leftovers."""

from __future__ import annotations

import pytest

from infra.local.faults import Fault, Kind
from tests.host.driver import Driver, Json, cluster_request, stage_of

NO_ADDRESS = "The maximum number of addresses has been reached."
ARTIFACTS, TEMPLATE = "instantstart-artifacts-123456789012-us-west-2", "local/foundation.yaml"


def refuse_zones(driver: Driver, *names: str) -> None:
    zones = driver.host.client("ec2").describe_availability_zones()["AvailabilityZones"]
    driver.host.world.eks.unsupported_zone_ids.update(zone["ZoneId"] for zone in zones if zone["ZoneName"] in names)


def zones_of(driver: Driver, tag: str) -> set[str]:
    """The zones in which a control plane stands."""
    client = driver.host.client
    network = client("eks").describe_cluster(name=f"eks-cluster-{tag}")["cluster"]["resourcesVpcConfig"]
    subnets = client("ec2").describe_subnets(SubnetIds=network["subnetIds"])["Subnets"]
    return {subnet["AvailabilityZone"] for subnet in subnets}


def stacks(driver: Driver, tag: str) -> list[str]:
    """The status of each stack of a cluster's name that ever was, the newest first."""
    listed = driver.host.client("cloudformation").list_stacks()["StackSummaries"]
    return [stack["StackStatus"] for stack in listed if stack["StackName"] == f"instantstart-{tag}"]


def foundation(tag: str, *zones: str) -> Json:
    return {"tag": tag} | ({"foundation": {"control_plane_availability_zones": [*zones]}} if zones else {})


@pytest.mark.case(1)
def test_a_zone_that_eks_refuses_is_replaced_once_by_those_it_names(driver: Driver) -> None:
    refuse_zones(driver, "us-west-2a")
    operation = driver.create(foundation("t1"))
    assert operation["status"] == "SUCCEEDED"
    assert zones_of(driver, "t1") == {"us-west-2b", "us-west-2c"}
    assert stacks(driver, "t1") == ["CREATE_COMPLETE", "DELETE_COMPLETE"]
    assert driver.made("t1")["vpcs"] == 1


@pytest.mark.case(1)
def test_a_second_refusal_is_final(driver: Driver) -> None:
    refuse_zones(driver, "us-west-2a")
    begun = driver.post("/api/clusters", foundation("t1"))
    driver.until_said(begun["operation_id"], "foundation", "rolling back")
    refuse_zones(driver, "us-west-2b")
    operation = driver.finish(begun["operation_id"])
    assert (operation["status"], operation["error"]["cause"]["code"]) == ("FAILED", "UNSUPPORTED_ZONE")
    assert "us-west-2b" in operation["error"]["detail"]
    assert stacks(driver, "t1") == ["ROLLBACK_COMPLETE", "DELETE_COMPLETE"]


@pytest.mark.case(1)
def test_zones_that_the_caller_chose_are_never_changed(driver: Driver) -> None:
    refuse_zones(driver, "us-west-2a")
    operation = driver.create(foundation("t1", "us-west-2a", "us-west-2b"))
    assert (operation["status"], operation["error"]["cause"]["code"]) == ("FAILED", "UNSUPPORTED_ZONE")
    assert operation["error"]["remedy"]
    assert stacks(driver, "t1") == ["ROLLBACK_COMPLETE"]


def test_the_control_plane_keeps_away_from_the_compute_zone(driver: Driver) -> None:
    begun = driver.post("/api/clusters", cluster_request("t1", zone="us-west-2a"))
    driver.until_said(begun["operation_id"], "foundation", "CREATE_IN_PROGRESS")
    stack = driver.host.client("cloudformation").describe_stacks(StackName="instantstart-t1")["Stacks"][0]
    given = {parameter["ParameterKey"]: parameter["ParameterValue"] for parameter in stack["Parameters"]}
    assert {given["ControlPlaneZoneOne"], given["ControlPlaneZoneTwo"]} == {"us-west-2b", "us-west-2c"}


@pytest.mark.case(2)
def test_a_failed_stack_tells_its_first_cause_and_a_retry_begins_anew(driver: Driver) -> None:
    driver.host.world.cloudformation.fail_next("AWS::EC2::EIP", NO_ADDRESS)
    failed = driver.create(foundation("t1"))
    error = failed["error"]
    assert (failed["status"], error["code"]) == ("FAILED", "quota_exceeded")
    assert (error["cause"]["resource"], error["cause"]["code"]) == ("AWS::EC2::EIP", "EIP_QUOTA")
    assert NO_ADDRESS in error["detail"]
    assert stage_of(failed, "foundation")["error"]["detail"] == error["detail"]
    assert "L-0263D0A3" in error["remedy"]
    assert error["operation_id"] == failed["operation_id"]
    # Every resource goes with the rollback: the bucket, too, is kept except when its creation fails.
    assert driver.made("t1") == {"stack": 1}
    retried = driver.retry(failed["operation_id"])
    assert (retried["status"], retried["retry_of"]) == ("SUCCEEDED", failed["operation_id"])
    assert stacks(driver, "t1") == ["CREATE_COMPLETE", "DELETE_COMPLETE"]
    assert driver.made("t1")["vpcs"] == 1


@pytest.mark.case(10)
def test_a_missing_template_is_a_fault_of_the_deployment_and_leaves_no_stack(driver: Driver) -> None:
    driver.host.client("s3").delete_object(Bucket=ARTIFACTS, Key=TEMPLATE)
    operation = driver.create(foundation("t1"))
    error = operation["error"]
    assert (operation["status"], error["code"], error["status"]) == ("FAILED", "template_artifact_missing", 500)
    assert TEMPLATE in error["detail"]
    assert driver.made("t1") == {}


def test_a_leftover_that_cannot_be_cleared_away_is_named(driver: Driver) -> None:
    driver.host.world.cloudformation.fail_next("AWS::EC2::EIP", NO_ADDRESS)
    failed = driver.create(foundation("t1"))
    stack = driver.host.client("cloudformation").describe_stacks(StackName="instantstart-t1")["Stacks"][0]
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    refused = Fault("cloudformation", "DeleteStack", Kind.DENY, times=9)
    operation = driver.failing(f"/api/operations/{failed['operation_id']}/retry", None, refused)
    assert (operation["status"], operation["error"]["cause"]["api_call"]) == ("FAILED", "DeleteStack")


def test_a_cluster_whose_creation_failed_points_to_the_retry(driver: Driver) -> None:
    driver.host.client("s3").delete_object(Bucket=ARTIFACTS, Key=TEMPLATE)
    failed = driver.create(foundation("t1"))
    answer = driver.send("POST", "/api/clusters", foundation("t1"))
    assert (answer.status, answer.body["code"]) == (409, "already_exists")
    assert answer.body["operation_id"] == failed["operation_id"]
