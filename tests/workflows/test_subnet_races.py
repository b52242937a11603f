"""Callers that want the same subnet at the same time, and what they leave when AWS tells them too little."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from functions.core.ledger.tables import CLUSTERS
from infra.local.faults import Fault, Kind
from tests.host.driver import Driver, Json, stage_of
from tests.workflows.subnets import (
    HYPERPOD,
    NAME,
    STAGE,
    alone,
    asking,
    compute_subnets,
    ec2,
    facts,
    make_subnet,
    put_tags,
    reserved,
    right,
    tables,
    the_subnet,
    vpc,
)

__all__ = ["alone", "reserved"]

pytestmark = pytest.mark.usefixtures("alone")

Reserve = Callable[[str], None]
OURS = {"instantstart:managed-by": "instantstart", "instantstart:cluster": "base"}
ZONES = OURS | {"instantstart:compute-subnet": "zone", "Name": NAME}


def hanging() -> Fault:
    """A CreateSubnet that does not answer; its client gives it up after 20 seconds and sends it again."""
    return Fault("ec2", "CreateSubnet", Kind.HANG, role="stages_network")


def begin(driver: Driver, reserve: Reserve, group: str) -> str:
    """Begin an operation that needs the zone's subnet and leaves other groups to other operations."""
    reserve(f"group:{group}")
    return str(driver.post(HYPERPOD, asking())["operation_id"])


def held_up(driver: Driver, reserve: Reserve) -> str:
    """Begin an operation and wait until its CreateSubnet hangs."""
    first = begin(driver, reserve, "a")
    driver.until(first, STAGE)
    for _ in range(100):
        if lock(driver) is not None:
            break
        driver.sleep(0.1)
    assert compute_subnets(driver) == []
    return first


def lock(driver: Driver) -> Json | None:
    table = driver.host.deployed.environment[CLUSTERS.variable]
    key = {"cluster_tag": {"S": f"vpc#{vpc(driver)}"}, "record": {"S": "lock#compute_subnets"}}
    found: Json | None = driver.host.client("dynamodb").get_item(TableName=table, Key=key).get("Item")
    return found


def lose_lock(driver: Driver) -> None:
    """Let the lock be gone, as it is once it has expired."""
    table = driver.host.deployed.environment[CLUSTERS.variable]
    key = {"cluster_tag": {"S": f"vpc#{vpc(driver)}"}, "record": {"S": "lock#compute_subnets"}}
    driver.host.client("dynamodb").delete_item(TableName=table, Key=key)


def subnet_ids(driver: Driver, operations: list[str], within: float = 14_400) -> list[str]:
    ended = [driver.finish(operation, within) for operation in operations]
    assert [operation["status"] for operation in ended] == ["SUCCEEDED"] * len(ended), ended
    return [str(stage_of(operation, STAGE)["result"]["subnet_id"]) for operation in ended]


def test_two_operations_at_once_end_with_one_subnet_and_one_route_table(
    driver_of_prepared: Driver, reserved: Reserve
) -> None:
    driver = driver_of_prepared
    first, second = subnet_ids(driver, [begin(driver, reserved, group) for group in ("a", "b")])
    assert first == second == the_subnet(driver)["SubnetId"]
    assert facts(driver) == right(driver)
    assert lock(driver) is None


def test_while_one_makes_the_subnet_the_other_waits_and_then_shares_it(
    driver_of_prepared: Driver, reserved: Reserve
) -> None:
    driver = driver_of_prepared
    with driver.host.faults.planned(hanging()):
        operations = [held_up(driver, reserved), begin(driver, reserved, "b")]
        driver.until_said(operations[1], STAGE, "Another operation works on compute_subnets", every=1)
        first, second = subnet_ids(driver, operations)
    assert first == second == the_subnet(driver)["SubnetId"]
    assert facts(driver) == right(driver)


def test_without_the_lock_the_range_that_both_choose_keeps_them_apart(
    driver_of_prepared: Driver, reserved: Reserve
) -> None:
    driver = driver_of_prepared
    with driver.host.faults.planned(hanging()):
        late = held_up(driver, reserved)
        lose_lock(driver)
        [second] = subnet_ids(driver, [begin(driver, reserved, "b")], within=8)
        assert driver.operation(late)["status"] == "RUNNING"
        # Its CreateSubnet is sent again, and the range is taken.
        [first] = subnet_ids(driver, [late])
    assert first == second == the_subnet(driver)["SubnetId"]
    assert facts(driver) == right(driver)


def test_a_worker_that_dies_with_the_lock_is_followed_by_its_own_next_turn(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    dying = Fault("ec2", "CreateRouteTable", Kind.KILL_BEFORE, role="stages_network")
    operation = driver.failing(HYPERPOD, asking(), dying)
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert facts(driver) == right(driver)
    assert lock(driver) is None


def test_the_lock_of_a_worker_that_never_came_back_is_taken_over(driver_of_prepared: Driver, reserved: Reserve) -> None:
    driver = driver_of_prepared
    with driver.host.faults.planned(
        Fault("ec2", "CreateRouteTable", Kind.KILL_BEFORE, times=99, role="stages_network")
    ):
        reserved("group:a")
        assert driver.run(HYPERPOD, asking())["status"] == "FAILED"
    assert lock(driver) is not None
    reserved("group:b")
    operation = driver.run(HYPERPOD, asking())
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert facts(driver) == right(driver)
    assert lock(driver) is None


def test_of_several_subnets_the_first_counts_and_what_an_operation_made_beside_it_goes(
    driver_of_prepared: Driver,
) -> None:
    driver = driver_of_prepared
    # The stage cannot begin to look before the test lets time pass.
    late = Fault("cloudformation", "DescribeStacks", Kind.FAIL_BEFORE, times=3, role="stages_network")
    with driver.host.faults.planned(late):
        operation_id = driver.post(HYPERPOD, asking())["operation_id"]
        ends = ("64.0/20", "80.0/20", "96.0/20")
        mine = ZONES | {"instantstart:operation": operation_id}
        made = sorted(make_subnet(driver, end, **mine) for end in ends)
        used = made[2]
        ec2(driver).create_network_interface(SubnetId=used)
        assert subnet_ids(driver, [operation_id]) == [made[0]]
    assert sorted(entry["SubnetId"] for entry in compute_subnets(driver)) == [made[0], used]
    assert len(tables(driver)) == 1


def test_of_several_route_tables_the_one_in_use_counts_and_the_others_go(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    assert driver.run(HYPERPOD, asking())["status"] == "SUCCEEDED"
    used = tables(driver)[0]["RouteTableId"]
    named = OURS | {"Name": f"{NAME}-rt"}
    for _ in range(2):
        extra = ec2(driver).create_route_table(VpcId=the_subnet(driver)["VpcId"])["RouteTable"]
        put_tags(driver, extra.get("RouteTableId", ""), **named)
    assert driver.run(HYPERPOD, asking())["status"] == "SUCCEEDED"
    assert [table["RouteTableId"] for table in tables(driver)] == [used]
    assert facts(driver) == right(driver)


def test_what_another_operation_made_beside_the_first_is_left_to_it(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    theirs = ZONES | {"instantstart:operation": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}
    made = sorted(make_subnet(driver, end, **theirs) for end in ("64.0/20", "80.0/20"))
    operation = driver.run(HYPERPOD, asking())
    assert stage_of(operation, STAGE)["result"]["subnet_id"] == made[0]
    assert sorted(entry["SubnetId"] for entry in compute_subnets(driver)) == made


def test_a_range_that_is_taken_by_what_is_not_listed_yet_is_waited_for(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    taken = ("InvalidSubnet.Conflict", "The CIDR '10.0.16.0/20' conflicts with another subnet")
    refusing = Fault("ec2", "CreateSubnet", Kind.REFUSE, times=2, refusal=taken, role="stages_network")
    with driver.host.faults.planned(refusing):
        begun = driver.post(HYPERPOD, asking())
        driver.until_said(begun["operation_id"], STAGE, "does not list by what yet", every=1)
        operation = driver.finish(begun["operation_id"])
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert facts(driver) == right(driver)
    assert the_subnet(driver)["CidrBlock"].endswith(".16.0/20")


def test_a_range_that_stays_refused_for_minutes_is_passed_over(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared

    taken = ("InvalidSubnet.Conflict", "The CIDR '10.0.16.0/20' conflicts with another subnet")
    # One look every 20 seconds, for more than five minutes.
    refusing = Fault("ec2", "CreateSubnet", Kind.REFUSE, times=16, refusal=taken, role="stages_network")
    operation = driver.failing(HYPERPOD, asking(), refusing)
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert facts(driver) == right(driver)
    assert not the_subnet(driver)["CidrBlock"].endswith(".16.0/20")
