"""A compute subnet of a zone: made with every property, found again, and repaired where somebody damaged it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from moto.ec2.models import ec2_backends

from infra.local.faults import Fault, Kind
from infra.local.host import LocalHost
from infra.local.images import HostSnapshot
from tests.host.driver import Driver, stage_of
from tests.host.states import back_to
from tests.workflows.subnets import (
    HYPERPOD,
    NAME,
    STAGE,
    alone,
    asking,
    compute_subnets,
    ec2,
    facts,
    internet_gateway,
    make_subnet,
    only_subnets,
    outputs,
    put_tags,
    right,
    table_of,
    tables,
    the_subnet,
    vpc,
)

__all__ = ["alone"]

pytestmark = pytest.mark.usefixtures("alone")


@pytest.fixture(scope="module")
def settled_state(session_host: LocalHost, prepared_state: HostSnapshot) -> HostSnapshot:
    """The host on which the compute subnet of the zone stands."""
    driver = back_to(session_host, prepared_state)
    with pytest.MonkeyPatch.context() as patch, session_host.clock.busy():
        only_subnets(patch)
        assert driver.run(HYPERPOD, asking())["status"] == "SUCCEEDED"
    return session_host.snapshot()


@pytest.fixture
def settled(session_host: LocalHost, settled_state: HostSnapshot) -> Iterator[Driver]:
    yield back_to(session_host, settled_state)


def the_table(driver: Driver) -> str:
    return str(table_of(driver, the_subnet(driver)["SubnetId"])["RouteTableId"])


def lose_route(driver: Driver) -> None:
    ec2(driver).delete_route(RouteTableId=the_table(driver), DestinationCidrBlock="0.0.0.0/0")


def route_elsewhere(driver: Driver) -> None:
    table, gateway = the_table(driver), internet_gateway(driver)
    ec2(driver).replace_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)


def lose_association(driver: Driver) -> None:
    [link] = table_of(driver, the_subnet(driver)["SubnetId"])["Associations"]
    ec2(driver).disassociate_route_table(AssociationId=link["RouteTableAssociationId"])


def use_another_table(driver: Driver) -> None:
    [link] = table_of(driver, the_subnet(driver)["SubnetId"])["Associations"]
    other = ec2(driver).create_route_table(VpcId=vpc(driver))["RouteTable"]["RouteTableId"]
    ec2(driver).replace_route_table_association(AssociationId=link["RouteTableAssociationId"], RouteTableId=other)


def lose_table(driver: Driver) -> None:
    table = the_table(driver)
    lose_association(driver)
    ec2(driver).modify_vpc_endpoint(VpcEndpointId=outputs(driver)["S3EndpointId"], RemoveRouteTableIds=[table])
    ec2(driver).delete_route_table(RouteTableId=table)


def lose_endpoint(driver: Driver) -> None:
    ec2(driver).modify_vpc_endpoint(
        VpcEndpointId=outputs(driver)["S3EndpointId"], RemoveRouteTableIds=[the_table(driver)]
    )


def lose_tag(key: str) -> Callable[[Driver], None]:
    # Nothing may come after it that looks for the subnet by its name.
    def lose(driver: Driver) -> None:
        ec2(driver).delete_tags(Resources=[the_subnet(driver)["SubnetId"]], Tags=[{"Key": key}])

    return lose


def change_tag(driver: Driver) -> None:
    put_tags(driver, the_subnet(driver)["SubnetId"], **{"kubernetes.io/role/internal-elb": "0"})


# What may be damaged at once; each part alone makes the subnet wrong.
DAMAGES: dict[str, tuple[Callable[[Driver], None], ...]] = {
    "no route, no endpoint, no name": (lose_route, lose_endpoint, lose_tag("Name")),
    "another route, no kind": (route_elsewhere, lose_tag("instantstart:compute-subnet")),
    "no association, another role": (lose_association, change_tag),
    "another table, no role": (lose_tag("kubernetes.io/role/internal-elb"), use_another_table),
    "no table": (lose_table,),
}


def is_right(driver: Driver, subnet_id: str) -> bool:
    """Whether the subnet of that id is ours with nothing wrong about it."""
    try:
        return facts(driver) == right(driver) and the_subnet(driver)["SubnetId"] == subnet_id
    except ValueError:  # it has no name or no route table
        return False


def test_a_zone_without_compute_subnet_gets_one_with_every_property(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    operation = driver.run(HYPERPOD, asking())
    assert operation["status"] == "SUCCEEDED", operation["error"]
    subnet = the_subnet(driver)
    assert facts(driver) == right(driver)
    assert stage_of(operation, STAGE)["result"] == {
        "subnet_id": subnet["SubnetId"],
        "zone": "us-west-2c",
        "cidr": subnet["CidrBlock"],
        "kind": "zone",
    }


@pytest.mark.parametrize("damage", DAMAGES)
def test_whatever_somebody_took_from_a_subnet_of_ours_is_put_back(settled: Driver, damage: str) -> None:
    subnet_id = the_subnet(settled)["SubnetId"]
    for hurt in DAMAGES[damage]:
        hurt(settled)
    assert not is_right(settled, subnet_id)
    operation = settled.run(HYPERPOD, asking())
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert is_right(settled, subnet_id)


def test_a_route_into_nothing_is_replaced_by_one_through_the_gateway_that_works(settled: Driver) -> None:
    dead, subnet = outputs(settled)["NatGatewayId"], outputs(settled)["PublicSubnetIds"].split(",")[0]
    ec2(settled).delete_nat_gateway(NatGatewayId=dead)
    assert facts(settled)["route"] == [(dead, "blackhole")]
    failed = settled.run(HYPERPOD, asking())
    assert (failed["status"], failed["error"]["code"]) == ("FAILED", "precondition_failed")
    assert failed["error"]["cause"]["code"] == "NO_NAT"
    assert dead in failed["error"]["detail"]
    address = ec2(settled).allocate_address(Domain="vpc")["AllocationId"]
    made = ec2(settled).create_nat_gateway(SubnetId=subnet, AllocationId=address)["NatGateway"]["NatGatewayId"]
    operation = settled.retry(failed["operation_id"])
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert facts(settled) == right(settled, route=[(made, "active")])


def test_a_second_gateway_that_a_person_routes_through_is_left_alone(settled: Driver) -> None:
    subnet = outputs(settled)["PublicSubnetIds"].split(",")[1]
    address = ec2(settled).allocate_address(Domain="vpc")["AllocationId"]
    made = ec2(settled).create_nat_gateway(SubnetId=subnet, AllocationId=address)["NatGateway"]["NatGatewayId"]
    ec2(settled).replace_route(RouteTableId=the_table(settled), DestinationCidrBlock="0.0.0.0/0", NatGatewayId=made)
    assert settled.run(HYPERPOD, asking())["status"] == "SUCCEEDED"
    assert facts(settled) == right(settled, route=[(made, "active")])


def test_an_endpoint_that_is_gone_is_named_and_its_successor_is_used(settled: Driver) -> None:
    gone = outputs(settled)["S3EndpointId"]
    lose_endpoint(settled)
    ec2(settled).delete_vpc_endpoints(VpcEndpointIds=[gone])
    failed = settled.run(HYPERPOD, asking())
    assert (failed["status"], failed["error"]["cause"]["code"]) == ("FAILED", "NO_S3_ENDPOINT")
    assert gone in failed["error"]["detail"]
    assert "com.amazonaws.us-west-2.s3" in failed["error"]["remedy"]
    ec2(settled).create_vpc_endpoint(
        VpcId=vpc(settled), ServiceName="com.amazonaws.us-west-2.s3", VpcEndpointType="Gateway"
    )
    assert settled.retry(failed["operation_id"])["status"] == "SUCCEEDED"
    assert facts(settled) == right(settled)


def test_a_subnet_of_that_name_that_is_not_ours_is_never_touched(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    theirs = make_subnet(driver, Name=NAME)
    failed = driver.run(HYPERPOD, asking())
    assert (failed["status"], failed["error"]["code"]) == ("FAILED", "conflict")
    assert failed["error"]["cause"]["resource"] == theirs
    assert (len(compute_subnets(driver)), tables(driver)) == (1, [])
    handed_over = {"instantstart:managed-by": "instantstart", "instantstart:cluster": "base"}
    put_tags(driver, theirs, **handed_over)
    assert driver.retry(failed["operation_id"])["status"] == "SUCCEEDED"
    assert facts(driver) == right(driver, size="24")
    assert the_subnet(driver)["SubnetId"] == theirs


def fill(driver: Driver) -> None:
    """Leave the VPC no range for another compute subnet."""
    for third in range(16, 256, 16):
        make_subnet(driver, f"{third}.0/20")


def test_ranges_that_the_vpc_got_later_are_used_when_the_first_is_full(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    first, second, *_ = outputs(driver)["VpcCidr"].split(".")
    fill(driver)
    refused = driver.send("POST", HYPERPOD, asking())
    assert (refused.status, f"add a secondary range to {vpc(driver)}" in refused.body["remedy"]) == (400, True)
    # Neither the edge nor its look anew may see subnets.
    roles = ("function-api", "function-stages_cluster")
    unseen = [Fault("ec2", "DescribeSubnets", Kind.DENY, role=role) for role in roles]
    failed = driver.failing(HYPERPOD, asking(), *unseen)
    assert (failed["status"], failed["error"]["code"]) == ("FAILED", "quota_exceeded")
    assert failed["error"]["cause"]["code"] == "VPC_RANGES_FULL"
    ec2(driver).associate_vpc_cidr_block(VpcId=vpc(driver), CidrBlock="100.64.0.0/16")
    assert driver.retry(failed["operation_id"])["status"] == "SUCCEEDED"
    assert the_subnet(driver)["CidrBlock"] == "100.64.0.0/20"
    assert f"{first}.{second}." not in the_subnet(driver)["CidrBlock"]


def test_a_range_that_is_on_its_way_to_a_full_vpc_is_waited_for(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    fill(driver)
    ec2(driver).associate_vpc_cidr_block(VpcId=vpc(driver), CidrBlock="100.64.0.0/16")
    region, account = ec2(driver).meta.region_name, driver.host.client("sts").get_caller_identity()["Account"]
    # moto adds a range at once.
    kept = ec2_backends[account][region].vpcs[vpc(driver)].get_cidr_block_association_set()
    [coming] = [each["cidr_block_state"] for each in kept if each["cidr_block"] == "100.64.0.0/16"]
    coming["state"] = "associating"
    begun = driver.post(HYPERPOD, asking())["operation_id"]
    driver.until_said(begun, STAGE, "100.64.0.0/16, which is added to it, takes no subnets yet")
    coming["state"] = "associated"
    ended = driver.finish(begun)
    assert (ended["status"], the_subnet(driver)["CidrBlock"]) == ("SUCCEEDED", "100.64.0.0/20"), ended["error"]


def test_the_size_of_a_zones_subnet_is_chosen_by_the_cluster(driver_of_prepared: Driver) -> None:
    operation = driver_of_prepared.run(HYPERPOD, asking(subnet_prefix=22))
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert facts(driver_of_prepared) == right(driver_of_prepared, size="22")
