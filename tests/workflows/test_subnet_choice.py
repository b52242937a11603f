"""Which subnet a group gets: one that the caller gives, one of its own, or its zone's; and what each must have."""

from __future__ import annotations

import pytest

from infra.local.faults import Fault, Kind
from tests.host.driver import Driver, Json, stage_of
from tests.workflows.subnets import (
    HYPERPOD,
    NAME,
    SUBNETS,
    ZONE,
    alone,
    asking,
    ec2,
    facts,
    internet_gateway,
    make_subnet,
    outputs,
    own_table,
    right,
    table_of,
    the_subnet,
    vpc,
    where,
)

__all__ = ["alone"]

OTHER_ZONE = "us-west-2b"


def unseen() -> tuple[Fault, ...]:
    """Neither the edge nor its look anew may see subnets, so that their own stage has to."""
    roles = ("function-api", "function-stages_cluster")
    return tuple(Fault("ec2", "DescribeSubnets", Kind.DENY, role=role) for role in roles)


def through_nat(driver: Driver, zone: str = ZONE) -> str:
    """A subnet as a person makes it for nodes."""
    subnet_id = make_subnet(driver, zone=zone)
    table, nat = own_table(driver, subnet_id), outputs(driver)["NatGatewayId"]
    ec2(driver).create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", NatGatewayId=nat)
    return subnet_id


def state_of(driver: Driver, subnet_id: str) -> Json:
    """Everything about a subnet that somebody could have changed."""
    [subnet] = ec2(driver).describe_subnets(SubnetIds=[subnet_id])["Subnets"]
    kept = {key: value for key, value in subnet.items() if key != "AvailableIpAddressCount"}
    return {"subnet": kept, "table": table_of(driver, subnet_id)}


# -- given


def test_nodes_stand_in_the_subnet_that_was_given_and_nothing_about_it_is_changed(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    given = through_nat(driver, zone=OTHER_ZONE)
    before = state_of(driver, given)
    request = asking({"subnet_id": given}, {"name": "cpu", "instance_type": "ml.c5.xlarge"})
    operation = driver.run(HYPERPOD, request)
    assert operation["status"] == "SUCCEEDED", operation["error"]
    nodes = driver.host.client("sagemaker").list_cluster_nodes(ClusterName="hp-cluster-base")["ClusterNodeSummaries"]
    placed = {
        node["InstanceGroupName"]: driver.host.client("sagemaker").describe_cluster_node(
            ClusterName="hp-cluster-base", NodeId=node["InstanceId"]
        )["NodeDetails"]["Placement"]["AvailabilityZone"]
        for node in nodes
    }
    assert placed == {"gpu": OTHER_ZONE, "cpu": "us-west-2c"}
    assert state_of(driver, given) == before
    assert "no endpoint for S3 serves it" in stage_of(operation, f"compute_subnet:{given}")["message"]
    assert [entry["kind"] for entry in driver.get(SUBNETS)["subnets"]].count("given") == 1


@pytest.mark.parametrize("late", [False, True], ids=["at the edge", "by the stage"])
@pytest.mark.usefixtures("alone")
def test_a_given_subnet_that_cannot_be_is_refused_with_the_field(driver_of_prepared: Driver, late: bool) -> None:
    driver = driver_of_prepared
    elsewhere = ec2(driver).create_vpc(CidrBlock="192.168.0.0/16")["Vpc"]["VpcId"]
    foreign = ec2(driver).create_subnet(VpcId=elsewhere, CidrBlock="192.168.0.0/20")["Subnet"]["SubnetId"]
    wrong: dict[str, Json] = {
        "does not exist": {"subnet_id": "subnet-0123456789abcdef0"},
        "is in vpc-": {"subnet_id": foreign},
        f"not in {OTHER_ZONE}": {"subnet_id": through_nat(driver), "availability_zone": OTHER_ZONE},
    }
    for words, group in wrong.items():
        field = "availability_zone" if "availability_zone" in group else "subnet_id"
        if late:
            problem = driver.failing(HYPERPOD, asking(group), *unseen())["error"]
            assert (problem["status"], problem["code"]) == (400, "invalid_request"), problem
            assert field in problem["detail"]
        else:
            answer = driver.send("POST", HYPERPOD, asking(group))
            problem = answer.body
            assert (answer.status, answer.fields) == (400, [f"instance_groups[0].{field}"]), problem
        assert words in problem["detail"]


@pytest.mark.usefixtures("alone")
def test_a_given_subnet_without_any_way_to_s3_is_refused_and_either_way_is_enough(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    given = make_subnet(driver)
    table, gateway = own_table(driver, given), internet_gateway(driver)
    ec2(driver).create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)
    failed = driver.run(HYPERPOD, asking({"subnet_id": given}))
    assert (failed["status"], failed["error"]["status"]) == ("FAILED", 409)
    assert failed["error"]["cause"]["code"] == "NO_ROUTE_TO_S3"
    assert gateway in failed["error"]["detail"]
    endpoint = outputs(driver)["S3EndpointId"]
    ec2(driver).modify_vpc_endpoint(VpcEndpointId=endpoint, AddRouteTableIds=[table])
    served = driver.retry(failed["operation_id"])
    assert served["status"] == "SUCCEEDED", served["error"]
    assert "through endpoints of the VPC" in served["stages"][0]["message"]
    ec2(driver).modify_vpc_endpoint(VpcEndpointId=endpoint, RemoveRouteTableIds=[table])
    nat = outputs(driver)["NatGatewayId"]
    ec2(driver).replace_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", NatGatewayId=nat)
    assert driver.run(HYPERPOD, asking({"subnet_id": given}))["status"] == "SUCCEEDED"
    ec2(driver).delete_nat_gateway(NatGatewayId=nat)
    dead = driver.run(HYPERPOD, asking({"subnet_id": given}))
    assert (dead["status"], dead["error"]["cause"]["code"]) == ("FAILED", "NO_ROUTE_TO_S3")


@pytest.mark.usefixtures("alone")
def test_a_given_subnet_without_a_table_of_its_own_routes_by_the_main_one(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    given = make_subnet(driver)
    failed = driver.run(HYPERPOD, asking({"subnet_id": given}))
    assert failed["error"]["cause"]["code"] == "NO_ROUTE_TO_S3"
    main = [*where("vpc-id", vpc(driver)), *where("association.main", "true")]
    [table] = ec2(driver).describe_route_tables(Filters=main)["RouteTables"]
    ec2(driver).create_route(
        RouteTableId=table["RouteTableId"],
        DestinationCidrBlock="0.0.0.0/0",
        NatGatewayId=outputs(driver)["NatGatewayId"],
    )
    assert driver.retry(failed["operation_id"])["status"] == "SUCCEEDED"


# -- dedicated


@pytest.mark.usefixtures("alone")
def test_a_dedicated_subnet_outlives_its_group_and_serves_a_successor_of_its_name(driver_of_prepared: Driver) -> None:
    driver, name = driver_of_prepared, f"{NAME}-gpu"
    kind = {"instantstart:compute-subnet": "dedicated", "instantstart:instance-group": "gpu"}
    operation = driver.run(HYPERPOD, asking({"dedicated_subnet": True}))
    assert operation["status"] == "SUCCEEDED", operation["error"]
    expected = right(driver, name)
    assert facts(driver, name) == expected | {"tags": expected["tags"] | kind}
    first = the_subnet(driver, name)["SubnetId"]
    # The group is gone: another one takes its place, in the zone's subnet.
    assert driver.run(HYPERPOD, asking({"name": "other"}))["status"] == "SUCCEEDED"
    [kept] = [entry for entry in driver.get(SUBNETS)["subnets"] if entry["kind"] == "dedicated"]
    assert kept == {
        "subnet_id": first,
        "kind": "dedicated",
        "availability_zone": "us-west-2c",
        "availability_zone_id": the_subnet(driver, name)["AvailabilityZoneId"],
        "cidr": the_subnet(driver, name)["CidrBlock"],
        "free_addresses": 4091,
        "dedicated_to": "gpu",
        "instance_groups": [],
    }
    again = driver.run(HYPERPOD, asking({"dedicated_subnet": True, "subnet_prefix": 24}))
    assert again["status"] == "SUCCEEDED", again["error"]
    assert the_subnet(driver, name)["SubnetId"] == first
    assert "subnet_prefix 24 is for a new one" in again["stages"][0]["message"]
    assert driver.run(HYPERPOD, asking({"name": "next", "dedicated_subnet": True}))["status"] == "SUCCEEDED"
    assert the_subnet(driver, f"{NAME}-next")["SubnetId"] != first


# -- per zone


@pytest.mark.case(15)
def test_each_zone_that_groups_name_gets_its_subnet_and_groups_of_a_zone_share_it(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    request = asking(
        {"name": "a"}, {"name": "b", "availability_zone": OTHER_ZONE}, {"name": "c", "availability_zone": OTHER_ZONE}
    )
    operation = driver.run(HYPERPOD, request)
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert [stage["name"] for stage in operation["stages"]][:2] == [
        "compute_subnet:us-west-2c",
        f"compute_subnet:{OTHER_ZONE}",
    ]
    described = driver.host.client("sagemaker").describe_cluster(ClusterName="hp-cluster-base")
    subnets = {
        group["InstanceGroupName"]: group.get("OverrideVpcConfig", described["VpcConfig"])["Subnets"]
        for group in described["InstanceGroups"]
    }
    here, there = the_subnet(driver)["SubnetId"], the_subnet(driver, f"hp-compute-{OTHER_ZONE}")["SubnetId"]
    assert subnets == {"a": [here], "b": [there], "c": [there]}
    listed = {entry["subnet_id"]: entry["instance_groups"] for entry in driver.get(SUBNETS)["subnets"]}
    assert listed == {here: ["a"], there: ["b", "c"]}


@pytest.mark.usefixtures("alone")
def test_a_zone_by_its_id_is_the_zone_of_that_name(driver_of_prepared: Driver) -> None:
    zones = ec2(driver_of_prepared).describe_availability_zones()["AvailabilityZones"]
    named = {zone["ZoneName"]: zone["ZoneId"] for zone in zones}
    operation = driver_of_prepared.run(HYPERPOD, asking({"availability_zone": named[OTHER_ZONE]}))
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert [stage["name"] for stage in operation["stages"]] == [f"compute_subnet:{OTHER_ZONE}"]


# -- listed


@pytest.mark.usefixtures("alone")
def test_compute_subnets_are_listed_page_by_page_and_other_subnets_are_not(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    given = through_nat(driver)
    groups: list[Json] = [{}, {"name": "own", "dedicated_subnet": True}, {"name": "given", "subnet_id": given}]
    assert driver.run(HYPERPOD, asking(*groups))["status"] == "SUCCEEDED"
    pages, path = [], f"{SUBNETS}?limit=2"
    while path:
        page = driver.get(path)
        pages.append(page["subnets"])
        path = f"{SUBNETS}?limit=2&next_token={page['next_token']}" if page["next_token"] else ""
    assert [len(page) for page in pages] == [2, 1]
    listed = [entry for page in pages for entry in page]
    assert [entry["subnet_id"] for entry in listed] == sorted(
        [given, the_subnet(driver)["SubnetId"], the_subnet(driver, f"{NAME}-own")["SubnetId"]]
    )
    assert {entry["kind"]: entry["instance_groups"] for entry in listed} == {
        "zone": ["gpu"],
        "dedicated": ["own"],
        "given": ["given"],
    }
    assert driver.send("GET", "/api/clusters/nobody/subnets").status == 404
