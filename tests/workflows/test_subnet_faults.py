"""Any call of the compute subnet stage may fail, hang, be denied or take its worker along: one subnet, all of it right.

Operations here consist of that stage alone. A turn is tried five times, so at most four kills fall on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from infra.local.faults import Fault, Kind
from infra.local.host import LocalHost
from infra.local.images import HostSnapshot
from tests.host.driver import Driver
from tests.host.states import back_to
from tests.workflows.subnets import (
    HYPERPOD,
    alone,
    asking,
    compute_subnets,
    ec2,
    facts,
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

ROLE = "stages_network"
WRITES = ("CreateSubnet", "CreateRouteTable", "CreateRoute", "ModifyVpcEndpoint", "AssociateRouteTable")
REPAIRS = ("CreateTags", "ReplaceRoute", "ModifyVpcEndpoint", "ReplaceRouteTableAssociation")
READS = (
    "DescribeAvailabilityZones",
    "DescribeVpcs",
    "DescribeSubnets",
    "DescribeRouteTables",
    "DescribeNatGateways",
    "DescribeVpcEndpoints",
)
DEADLY = (Kind.KILL_BEFORE, Kind.KILL_AFTER)
# The client sends a call four times at most, so it outlasts all three by itself.
TRANSIENT = (Kind.THROTTLE, Kind.FAIL_BEFORE, Kind.FAIL_AFTER)
CALLS = (*WRITES, *REPAIRS, *READS)


def faults(calls: tuple[str, ...], *kinds: Kind) -> list[Fault]:
    """Let the first call of each operation meet the first kind of fault, the second call the second, and so on."""
    return [Fault("ec2", name, kind, first=first, role=ROLE) for name in calls for first, kind in enumerate(kinds, 1)]


@pytest.fixture(scope="module")
def damaged_state(session_host: LocalHost, prepared_state: HostSnapshot) -> HostSnapshot:
    """The host on which every property of the compute subnet is wrong."""
    driver = back_to(session_host, prepared_state)
    with pytest.MonkeyPatch.context() as patch, session_host.clock.busy():
        only_subnets(patch)
        assert driver.run(HYPERPOD, asking())["status"] == "SUCCEEDED"
    damage(driver)
    return session_host.snapshot()


@pytest.fixture
def damaged(session_host: LocalHost, damaged_state: HostSnapshot) -> Iterator[Driver]:
    yield back_to(session_host, damaged_state)


def damage(driver: Driver) -> None:
    client, subnet = ec2(driver), the_subnet(driver)["SubnetId"]
    table = table_of(driver, subnet)
    [link] = table["Associations"]
    other = client.create_route_table(VpcId=vpc(driver))["RouteTable"].get("RouteTableId", "")
    client.replace_route_table_association(AssociationId=link["RouteTableAssociationId"], RouteTableId=other)
    endpoint, own = outputs(driver)["S3EndpointId"], table["RouteTableId"]
    client.modify_vpc_endpoint(VpcEndpointId=endpoint, RemoveRouteTableIds=[own])
    gateway = client.create_internet_gateway()["InternetGateway"].get("InternetGatewayId", "")
    client.replace_route(RouteTableId=own, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)
    put_tags(driver, subnet, **{"kubernetes.io/role/internal-elb": "0"})


@pytest.mark.parametrize(
    "calls", [WRITES[:2], WRITES[2:4], (*WRITES[4:], *READS[:1]), READS[1:3], READS[3:5], READS[5:]]
)
def test_a_worker_that_dies_at_any_call_leaves_one_subnet_with_every_property(
    driver_of_prepared: Driver, calls: tuple[str, ...]
) -> None:
    driver = driver_of_prepared
    operation = driver.failing(HYPERPOD, asking(), *faults(calls, *DEADLY))
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert operation["stages"][0]["attempt"] == 1
    assert (len(compute_subnets(driver)), facts(driver)) == (1, right(driver))


@pytest.mark.parametrize(
    "planned",
    [
        # The lock is taken by the first update of a turn and given back by the second transaction.
        lambda: [Fault("dynamodb", "UpdateItem", kind, n, role=ROLE) for n, kind in enumerate(DEADLY, 1)],
        lambda: [Fault("dynamodb", "TransactWriteItems", kind, 2, role=ROLE) for kind in DEADLY],
        lambda: [Fault("cloudformation", "DescribeStacks", Kind.KILL_AFTER, n, role=ROLE) for n in (1, 2)],
    ],
    ids=["taking the lock", "giving it back", "reading the foundation"],
)
def test_a_worker_that_dies_around_the_lock_leaves_one_subnet_with_every_property(
    driver_of_prepared: Driver, planned: Callable[[], list[Fault]]
) -> None:
    driver = driver_of_prepared
    operation = driver.failing(HYPERPOD, asking(), *planned())
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert (len(compute_subnets(driver)), facts(driver)) == (1, right(driver))


@pytest.mark.parametrize("calls", [REPAIRS[:2], REPAIRS[2:]])
def test_a_worker_that_dies_at_any_repair_leaves_every_property_right(damaged: Driver, calls: tuple[str, ...]) -> None:
    assert facts(damaged) != right(damaged)
    operation = damaged.failing(HYPERPOD, asking(), *faults(calls, *DEADLY))
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert (len(compute_subnets(damaged)), facts(damaged)) == (1, right(damaged))


@pytest.mark.parametrize("state", ["driver_of_prepared", "damaged"])
def test_calls_that_throttle_fail_and_lose_their_answers_leave_every_property_right(
    request: pytest.FixtureRequest, state: str
) -> None:
    driver: Driver = request.getfixturevalue(state)
    operation = driver.failing(HYPERPOD, asking(), *faults(CALLS, *TRANSIENT))
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert (len(compute_subnets(driver)), facts(driver)) == (1, right(driver))


@pytest.mark.parametrize("state", ["driver_of_prepared", "damaged"])
def test_calls_that_hang_leave_every_property_right(request: pytest.FixtureRequest, state: str) -> None:
    driver: Driver = request.getfixturevalue(state)
    operation = driver.failing(HYPERPOD, asking(), *faults(CALLS, Kind.HANG))
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert (len(compute_subnets(driver)), facts(driver)) == (1, right(driver))


@pytest.mark.parametrize(("state", "calls"), [("driver_of_prepared", WRITES), ("damaged", REPAIRS)])
def test_a_call_that_is_denied_is_named_and_what_was_made_before_it_is_gone_on_from(
    request: pytest.FixtureRequest, state: str, calls: tuple[str, ...]
) -> None:
    driver: Driver = request.getfixturevalue(state)
    failed = [driver.failing(HYPERPOD, asking(), *faults((call,), Kind.DENY)) for call in calls]
    assert [operation["status"] for operation in failed] == ["FAILED"] * len(calls)
    assert [operation["error"]["cause"]["api_call"] for operation in failed] == list(calls)
    assert all(call in operation["error"]["remedy"] for call, operation in zip(calls, failed, strict=True))
    operation = driver.retry(failed[-1]["operation_id"])
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert (len(compute_subnets(driver)), facts(driver)) == (1, right(driver))


def test_a_look_that_is_denied_is_never_taken_for_absence(damaged: Driver) -> None:
    before = len(compute_subnets(damaged)), len(tables(damaged)), facts(damaged)
    looks = [call for call in READS if call != "DescribeVpcs"]
    failed = [damaged.failing(HYPERPOD, asking(), *faults((call,), Kind.DENY)) for call in looks]
    assert [operation["error"]["cause"]["api_call"] for operation in failed] == looks
    assert (len(compute_subnets(damaged)), len(tables(damaged)), facts(damaged)) == before


def test_ranges_that_may_not_be_looked_at_are_not_taken_for_free(driver_of_prepared: Driver) -> None:
    failed = driver_of_prepared.failing(HYPERPOD, asking(), *faults(("DescribeVpcs",), Kind.DENY))
    assert (failed["status"], failed["error"]["cause"]["api_call"]) == ("FAILED", "DescribeVpcs")
    assert compute_subnets(driver_of_prepared) == []


def test_a_quota_that_is_used_up_is_named_with_its_code_and_a_retry_goes_on(driver_of_prepared: Driver) -> None:
    driver, words = driver_of_prepared, "The maximum number of route tables has been reached."
    refused = Fault("ec2", "CreateRouteTable", Kind.REFUSE, refusal=("RouteTableLimitExceeded", words), role=ROLE)
    failed = driver.failing(HYPERPOD, asking(), refused)
    assert (failed["status"], failed["error"]["code"]) == ("FAILED", "quota_exceeded")
    assert failed["error"]["cause"]["code"] == "ROUTE_TABLE_QUOTA"
    assert "service vpc, code L-589F43AA" in failed["error"]["remedy"]
    subnet = the_subnet(driver)["SubnetId"]
    assert driver.retry(failed["operation_id"])["status"] == "SUCCEEDED"
    assert (the_subnet(driver)["SubnetId"], facts(driver)) == (subnet, right(driver))
