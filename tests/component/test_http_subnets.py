"""What the edge says about the network of instance groups, and the list of compute subnets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from botocore.exceptions import ReadTimeoutError

from functions.core import runtime
from tests.component.test_http_support import Edge, account, edge, set_condition, stages_of, standing

if TYPE_CHECKING:
    from types_boto3_ec2.type_defs import TagTypeDef

__all__ = ["account", "edge"]

PATH = "/api/clusters/t1/hyperpod"
ZONE, OTHER = "us-west-2c", "us-west-2b"
GIVEN = "subnet-0123456789abcdef0"
TAGS = {"instantstart:managed-by": "instantstart", "instantstart:cluster": "t1"}
KIND = "instantstart:compute-subnet"
BIG = {"instance_type": "ml.p5.48xlarge", "instance_count": 60}


def hyperpod(*groups: dict[str, object], **members: object) -> dict[str, object]:
    small = {"name": "gpu", "instance_type": "ml.g6.4xlarge", "instance_count": 1}
    return {"availability_zone": ZONE, "instance_groups": [small | group for group in groups], **members}


def make_vpc(cidr: str = "10.1.0.0/16") -> str:
    return runtime.client("ec2").create_vpc(CidrBlock=cidr)["Vpc"].get("VpcId", "")


def make_subnet(vpc_id: str, cidr: str, zone: str = ZONE, **tags: str) -> str:
    listed: list[TagTypeDef] = [{"Key": key, "Value": value} for key, value in tags.items()]
    made = runtime.client("ec2").create_subnet(VpcId=vpc_id, CidrBlock=cidr, AvailabilityZone=zone)
    subnet_id = made["Subnet"]["SubnetId"]
    if listed:
        runtime.client("ec2").create_tags(Resources=[subnet_id], Tags=listed)
    return subnet_id


@pytest.fixture
def vpc(edge: Edge) -> str:
    """A cluster that is ready for HyperPod, with a VPC that has one subnet of its foundation."""
    standing(edge, "t1", "FoundationReady", "DependenciesReady")
    vpc_id = make_vpc()
    make_subnet(vpc_id, "10.1.0.0/24", **TAGS)
    return vpc_id


@pytest.mark.parametrize(
    ("group", "field"),
    [
        ({"availability_zone": "us-west-2z"}, "availability_zone"),
        ({"network_interface": "efa_only"}, "network_interface"),
        ({"subnet_id": GIVEN}, "subnet_id"),
    ],
)
def test_a_group_that_cannot_be_in_a_new_cluster_is_refused_at_its_field(
    edge: Edge, group: dict[str, object], field: str
) -> None:
    body = {"tag": "t1", "hyperpod": hyperpod({}, {"name": "odd"} | group)}
    answer = edge.send("POST", "/api/clusters", body)
    assert (answer.status, answer.fields) == (400, [f"hyperpod.instance_groups[1].{field}"])


@pytest.mark.case(22)
def test_a_new_cluster_with_too_many_nodes_for_its_subnet_is_refused_without_asking_for_it(edge: Edge) -> None:
    answer = edge.send("POST", "/api/clusters", {"tag": "t1", "hyperpod": hyperpod(BIG)})
    assert (answer.status, answer.body["cause"]["code"]) == (409, "SUBNET_IP_SHORTAGE")
    assert answer.fields == ["hyperpod.instance_groups[0].instance_count"]
    for helped in (BIG | {"network_interface": "efa_only"}, BIG | {"dedicated_subnet": True}):
        tag = "efa" if "network_interface" in helped else "own"
        assert edge.send("POST", "/api/clusters", {"tag": tag, "hyperpod": hyperpod(helped)}).status == 202
    larger = {"tag": "large", "hyperpod": hyperpod(BIG, subnet_prefix=19)}
    assert edge.send("POST", "/api/clusters", larger).status == 202


@pytest.mark.case(22)
def test_a_subnet_that_others_have_filled_is_seen_at_the_edge(edge: Edge, vpc: str) -> None:
    full = make_subnet(vpc, "10.1.16.0/27", **TAGS, **{KIND: "zone"})
    answer = edge.send("POST", PATH, hyperpod({}))
    assert (answer.status, answer.body["cause"]["resource"]) == (409, full)
    assert "needs 30 addresses" in answer.body["detail"]
    assert edge.send("POST", PATH, hyperpod({"availability_zone": OTHER})).status == 202


def test_nodes_of_an_earlier_attempt_may_hold_the_addresses(edge: Edge, vpc: str) -> None:
    subnet = make_subnet(vpc, "10.1.16.0/26", **TAGS, **{KIND: "zone"})
    runtime.client("ec2").create_network_interface(SubnetId=subnet, SecondaryPrivateIpAddressCount=29)
    assert edge.send("POST", PATH, hyperpod({})).status == 409
    set_condition("t1", "HyperPodReady", "False")
    assert edge.send("POST", PATH, hyperpod({})).status == 202


def test_a_given_subnet_is_judged_by_vpc_and_zone(edge: Edge, vpc: str) -> None:
    foreign, right = make_subnet(make_vpc("10.2.0.0/16"), "10.2.0.0/20"), make_subnet(vpc, "10.1.16.0/20", OTHER)
    groups: list[dict[str, object]] = [
        {"name": "a", "subnet_id": right},
        {"name": "b", "subnet_id": GIVEN},
        {"name": "c", "subnet_id": foreign},
        {"name": "d", "subnet_id": right, "availability_zone": ZONE},
    ]
    answer = edge.send("POST", PATH, hyperpod(*groups))
    fields = ["instance_groups[1].subnet_id", "instance_groups[2].subnet_id", "instance_groups[3].availability_zone"]
    assert (answer.status, answer.fields) == (400, fields)
    accepted = edge.send("POST", PATH, hyperpod(groups[0]))
    assert stages_of(accepted.body["operation_id"])[0] == ("hyperpod", f"compute_subnet:{right}")


@pytest.fixture
def small_vpc(edge: Edge) -> str:
    """The same in a VPC that one compute subnet of a zone has half of, and others the most of the rest."""
    standing(edge, "t1", "FoundationReady", "DependenciesReady")
    vpc_id = make_vpc("10.2.0.0/20")
    make_subnet(vpc_id, "10.2.0.0/24", **TAGS)
    make_subnet(vpc_id, "10.2.8.0/21", **TAGS, **{KIND: "zone"})
    make_subnet(vpc_id, "10.2.4.0/22")
    return vpc_id


TWO_ZONES: list[dict[str, object]] = [{}, {"name": "b", "availability_zone": OTHER}]


def test_a_later_subnet_for_which_the_vpc_has_no_range_left_is_refused_with_what_would_help(
    edge: Edge, small_vpc: str
) -> None:
    answer = edge.send("POST", PATH, hyperpod(*TWO_ZONES, subnet_prefix=21))
    assert (answer.status, answer.fields) == (400, ["instance_groups[1]"]), answer.body
    assert "10.2.0.0/20 has no free /21 for the compute subnet of b" in answer.body["detail"]
    assert answer.body["remedy"] == (
        "Ask for a /23 or a smaller one by subnet_prefix beside instance_groups, add a secondary range to "
        f"{small_vpc}, or name a subnet of your own as subnet_id."
    )
    given = make_subnet(small_vpc, "10.2.2.0/24", OTHER)
    for helped in (
        hyperpod({}, {"name": "b", "subnet_id": given}, subnet_prefix=21),
        hyperpod(*TWO_ZONES, subnet_prefix=24),
    ):
        assert edge.send("POST", PATH, helped, query="dry_run=true").status == 200
    runtime.client("ec2").associate_vpc_cidr_block(VpcId=small_vpc, CidrBlock="100.64.0.0/16")
    assert edge.send("POST", PATH, hyperpod(*TWO_ZONES, subnet_prefix=21)).status == 202


def test_a_larger_subnet_is_offered_only_where_the_vpc_has_room_for_it(edge: Edge, small_vpc: str) -> None:
    big = {"name": "b", "availability_zone": OTHER, "instance_count": 20}
    answer = edge.send("POST", PATH, hyperpod(big, subnet_prefix=24))
    assert (answer.status, answer.body["cause"]["code"]) == (409, "SUBNET_IP_SHORTAGE")
    assert f"subnet_prefix: 22 in a secondary range that is added to {small_vpc}" in answer.body["remedy"]
    assert "dedicated_subnet" not in answer.body["remedy"]
    runtime.client("ec2").associate_vpc_cidr_block(VpcId=small_vpc, CidrBlock="100.64.0.0/16")
    assert edge.send("POST", PATH, hyperpod(big, subnet_prefix=22)).status == 202


def test_without_an_answer_from_ec2_the_stage_has_to_look(edge: Edge, vpc: str) -> None:
    def hang(**_: object) -> None:
        raise ReadTimeoutError(endpoint_url="https://ec2.us-west-2.amazonaws.com")

    runtime.client("ec2", runtime.Patience.EDGE).meta.events.register("before-call.ec2.DescribeSubnets", hang)
    answer = edge.send("POST", PATH, hyperpod({"subnet_id": GIVEN}))
    assert answer.status == 202
    assert stages_of(answer.body["operation_id"])[0] == ("preflight", "preflight")


def test_the_look_at_subnets_costs_two_calls_at_most(edge: Edge, vpc: str) -> None:
    given = make_subnet(vpc, "10.1.16.0/20")
    groups: list[dict[str, object]] = [{"name": f"g{number}", "subnet_id": given} for number in range(20)]
    assert edge.counting("POST", PATH, hyperpod(*groups))["DescribeSubnets"] == 2


@pytest.mark.parametrize("count", [1, 12])
def test_a_list_of_subnets_takes_the_same_calls_however_many_there_are(edge: Edge, vpc: str, count: int) -> None:
    made = [
        make_subnet(
            vpc, f"10.1.{number}.0/24", **TAGS, **{KIND: "dedicated", "instantstart:instance-group": f"g{number}"}
        )
        for number in range(16, 16 + count)
    ]
    assert edge.counting("GET", "/api/clusters/t1/subnets") == {"GetItem": 1, "DescribeSubnets": 1}
    listed = edge.send("GET", "/api/clusters/t1/subnets").body["subnets"]
    assert [each["subnet_id"] for each in listed] == sorted(made)


def test_pages_of_subnets_go_on_where_the_last_one_ended(edge: Edge, vpc: str) -> None:
    made = [make_subnet(vpc, f"10.1.{number}.0/24", **TAGS, **{KIND: "zone"}) for number in (16, 17, 18)]
    first = edge.send("GET", "/api/clusters/t1/subnets", query="limit=2").body
    token = first["next_token"]
    second = edge.send("GET", "/api/clusters/t1/subnets", query=f"limit=2&next_token={token}").body
    found = [each["subnet_id"] for each in [*first["subnets"], *second["subnets"]]]
    assert (found, second.get("next_token")) == (sorted(made), None)
    # A token is good for its own cluster only.
    standing(edge, "t2")
    answer = edge.send("GET", "/api/clusters/t2/subnets", query=f"next_token={token}")
    assert (answer.status, answer.body["code"]) == (400, "invalid_page_token")


def test_subnets_of_a_cluster_that_is_not_there_are_not_found(edge: Edge) -> None:
    assert edge.send("GET", "/api/clusters/nobody/subnets").status == 404
