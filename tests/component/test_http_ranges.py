"""Address ranges that a request chooses are judged by what is in use, before anything is made."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from functions.aws import network
from functions.core import runtime
from tests.component.test_http_reuse_support import Own, own
from tests.component.test_http_support import HYPERPOD, Answer, Edge, account, edge, free_leases, set_condition
from tests.component.test_ledger_support import cluster_records

if TYPE_CHECKING:
    from pydantic import JsonValue

__all__ = ["account", "edge", "own"]

VPC = "10.20.0.0/16"
GROUP = {"name": "gpu", "instance_type": "ml.g6.4xlarge", "instance_count": 1}


def create(edge: Edge, foundation: dict[str, JsonValue], query: str = "", **members: object) -> Answer:
    return edge.send("POST", "/api/clusters", {"tag": "t1", "foundation": foundation, **members}, query=query)


def test_chosen_ranges_are_previewed_and_kept_as_they_were_sent(edge: Edge) -> None:
    chosen: dict[str, JsonValue] = {"vpc_cidr": VPC, "compute_cidr": "10.20.128.0/17"}
    preview = create(edge, chosen, "dry_run=true").body["preview"]
    [vpc] = [change for change in preview["changes"] if change["resource"] == "VPC"]
    assert vpc["reason"].endswith("; its range is 10.20.0.0/16, as asked for")
    assert create(edge, chosen, f"confirm={preview['digest']}").status == 202
    ranges = edge.send("GET", "/api/clusters/t1").body["spec"]["ranges"]
    assert {name: value for name, value in ranges.items() if value} == chosen


def test_a_range_of_another_vpc_is_refused_with_its_name_and_one_that_is_free(edge: Edge) -> None:
    vpc_id = runtime.client("ec2").create_vpc(CidrBlock="10.20.64.0/20")["Vpc"]["VpcId"]
    answer = create(edge, {"vpc_cidr": VPC})
    [error] = answer.body["errors"]
    assert (answer.status, answer.body["code"], error["field"]) == (409, "conflict", "foundation.vpc_cidr")
    assert f"{VPC} overlaps 10.20.64.0/20 of {vpc_id}" in error["message"]
    assert not cluster_records()
    free = answer.body["remedy"].partition("such as ")[2].partition(",")[0]
    assert create(edge, {"vpc_cidr": free}).status == 202


def test_a_range_of_a_peer_in_another_account_is_refused(edge: Edge) -> None:
    ec2 = runtime.client("ec2")
    own = ec2.create_vpc(CidrBlock="10.99.0.0/16")["Vpc"]["VpcId"]
    peer = ec2.create_vpc(CidrBlock="10.20.0.0/24")["Vpc"]["VpcId"]
    ec2.create_vpc_peering_connection(VpcId=own, PeerVpcId=peer)
    ec2.delete_vpc(VpcId=peer)
    answer = create(edge, {"vpc_cidr": VPC})
    assert (answer.status, f"10.20.0.0/24 of {peer}" in answer.body["detail"]) == (409, True), answer.body


@pytest.mark.parametrize(
    ("state", "held"),
    [
        ("associating", True),
        ("associated", True),
        ("disassociating", False),
        ("disassociated", False),
        ("failing", False),
        ("failed", False),
    ],
)
def test_a_secondary_range_is_its_vpcs_while_it_comes_and_stands_whoever_reads_it(
    edge: Edge, own: Own, state: str, *, held: bool
) -> None:
    secondary = ["172.20.0.0/16", "10.100.0.0/16", "192.168.0.0/16"]
    for each in secondary:
        own.ec2.associate_vpc_cidr_block(VpcId=own.vpc_id, CidrBlock=each)

    def described(**told: object) -> None:
        answer: Any = told["parsed"]
        for association in (each for vpc in answer["Vpcs"] for each in vpc["CidrBlockAssociationSet"]):
            if association["CidrBlock"] in secondary:
                association["CidrBlockState"]["State"] = state

    for events in (edge.account.runtime.session, own.ec2.meta.events):
        events.register("after-call.ec2.DescribeVpcs", described)
    beside = create(edge, {"vpc_cidr": "192.168.64.0/18"}, "dry_run=true").body["findings"]
    assert [each["field"] for each in beside if each["check"] == "address_ranges"] == ["foundation.vpc_cidr"] * held
    inside = create(edge, own.members, "dry_run=true").body["findings"]
    assert [each["check"] for each in inside if each["level"] == "error"] == ["service_range_overlap"] * held
    taken, made_in = (["10.50.0.0/16", *(secondary if there else [])] for there in (held, state == "associated"))
    assert [*map(str, network.ranges_of_vpc(own.vpc_id))] == taken
    assert [*map(str, network.associated_ranges_of_vpc(own.vpc_id))] == made_in, "EC2 makes no subnets in others"


@pytest.mark.parametrize(
    ("foundation", "hyperpod", "field", "said"),
    [
        ({"compute_cidr": "10.20.16.0/20"}, {}, None, ""),
        ({"compute_cidr": "10.20.16.0/22"}, {}, None, ""),
        ({"compute_cidr": "10.20.0.0/16"}, {}, "foundation.compute_cidr", "has no room left"),
        ({"compute_cidr": "10.20.16.0/22"}, {"subnet_prefix": 21}, "foundation.compute_cidr", "no free /21"),
        ({"vpc_cidr": "10.20.0.0/19"}, {"subnet_prefix": 19}, "foundation.vpc_cidr", "no free /19"),
        (
            {"compute_cidr": "10.20.16.0/22"},
            {"instance_groups": [GROUP, {**GROUP, "name": "b", "availability_zone": "us-west-2a"}]},
            "foundation.compute_cidr",
            "no free /22 for the compute subnet of b",
        ),
    ],
)
def test_compute_subnets_have_to_fit_where_they_are_to_be_made(
    edge: Edge, foundation: dict[str, JsonValue], hyperpod: dict[str, JsonValue], field: str | None, said: str
) -> None:
    answer = create(edge, {"vpc_cidr": VPC, **foundation}, hyperpod={**HYPERPOD, **hyperpod})
    if field is None:
        assert answer.status == 202, answer.body
        return
    assert (answer.status, answer.fields) == (400, [field]), answer.body
    assert said in answer.body["errors"][0]["message"]


SMALL: dict[str, JsonValue] = {
    "vpc_cidr": "10.20.0.0/25",
    "public_subnet_cidrs": ["10.20.0.0/27", "10.20.0.32/27"],
    "control_plane_subnet_cidrs": ["10.20.0.64/28", "10.20.0.80/28"],
    "compute_cidr": "10.20.0.96/27",
}


@pytest.mark.parametrize(
    ("foundation", "hyperpod"),
    [
        (SMALL, None),
        ({"vpc_cidr": "10.20.0.0/20", "compute_cidr": "10.20.8.0/21"}, {}),
        ({"vpc_cidr": "10.20.0.0/20"}, {"subnet_prefix": 21}),
        # Of a /25 this part leaves room for the others as they have to be at the least.
        ({"vpc_cidr": "10.20.0.0/25", "compute_cidr": "10.20.0.48/28"}, None),
        ({**SMALL, "vpc_cidr": "10.20.0.0/24", "compute_cidr": "10.20.0.128/26"}, {}),
        (
            {"vpc_cidr": "10.20.0.0/24", "public_subnet_cidrs": ["10.20.0.0/27", "10.20.0.128/27"]},
            {"subnet_prefix": 26},
        ),
    ],
)
def test_a_vpc_of_any_size_is_taken_in_which_everything_fits(
    edge: Edge, foundation: dict[str, JsonValue], hyperpod: dict[str, JsonValue] | None
) -> None:
    members: dict[str, object] = {} if hyperpod is None else {"hyperpod": {**HYPERPOD, **hyperpod}}
    answer = create(edge, foundation, "", **members)
    assert answer.status == 202, answer.body


@pytest.mark.parametrize(
    ("foundation", "field", "said", "remedy"),
    [
        ({"vpc_cidr": "10.20.0.0/20"}, "vpc_cidr", "no free /20", "name compute_cidr"),
        (
            {"vpc_cidr": "10.20.0.0/25", "compute_cidr": "10.20.0.0/26"},
            "compute_cidr",
            "two of a /28",
            "Choose a larger",
        ),
        ({"vpc_cidr": "10.20.0.0/26"}, "vpc_cidr", "smaller than a /25", ""),
        ({**SMALL, "compute_cidr": "10.20.1.0/27"}, "compute_cidr", "does not lie in vpc_cidr", ""),
    ],
)
def test_a_vpc_in_which_something_does_not_fit_is_refused_at_what_is_too_small_or_too_large(
    edge: Edge, foundation: dict[str, JsonValue], field: str, said: str, remedy: str
) -> None:
    answer = create(edge, foundation, hyperpod=HYPERPOD)
    [error] = answer.body["errors"]
    assert (answer.status, error["field"]) == (400, f"foundation.{field}")
    assert said in error["message"]
    assert remedy in answer.body["remedy"] if remedy else not cluster_records()


def test_control_plane_subnets_that_had_to_be_cut_small_are_told(edge: Edge) -> None:
    answer = create(edge, {"vpc_cidr": "10.20.0.0/25", "compute_cidr": "10.20.0.48/28"})
    [finding] = [each for each in answer.body["findings"] if each["check"] == "address_ranges"]
    assert (answer.status, finding["level"], finding["field"]) == (202, "warning", "foundation.vpc_cidr")
    assert finding["remedy"].startswith("Leave room for a /27")


def test_nodes_are_counted_against_a_small_part_that_was_chosen_for_them(edge: Edge) -> None:
    many = {**HYPERPOD, "instance_groups": [{**GROUP, "instance_count": 16}]}
    answer = create(edge, {"vpc_cidr": VPC, "compute_cidr": "10.20.16.0/28"}, hyperpod=many)
    [error] = answer.body["errors"]
    assert error["field"] == "hyperpod.instance_groups[0].instance_count"
    assert error["message"].endswith("; 10.20.16.0/28 has no free /23 left")
    assert "subnet_prefix: 23 in a larger foundation.compute_cidr" in answer.body["remedy"]
    larger = create(edge, {"vpc_cidr": VPC, "compute_cidr": "10.20.16.0/20"}, hyperpod=many)
    assert larger.status == 202, larger.body


def test_a_subnet_of_a_groups_own_is_made_smaller_by_the_groups_own_size(edge: Edge) -> None:
    own = {**GROUP, "dedicated_subnet": True}
    chosen: dict[str, JsonValue] = {"vpc_cidr": VPC, "compute_cidr": "10.20.16.0/22"}
    answer = create(edge, chosen, hyperpod={**HYPERPOD, "instance_groups": [own]})
    assert (answer.fields, "by subnet_prefix of group gpu" in answer.body["remedy"]) == (
        ["foundation.compute_cidr"],
        True,
    )
    smaller = {**HYPERPOD, "instance_groups": [{**own, "subnet_prefix": 24}]}
    assert create(edge, chosen, hyperpod=smaller).status == 202


def test_control_plane_subnets_smaller_than_eks_advises_are_told_and_no_reason_to_refuse(edge: Edge) -> None:
    small: dict[str, JsonValue] = {"vpc_cidr": VPC, "control_plane_subnet_cidrs": ["10.20.0.0/28", "10.20.1.0/28"]}
    answer = create(edge, small)
    [finding] = [each for each in answer.body["findings"] if each["check"] == "address_ranges"]
    assert (answer.status, finding["level"]) == (202, "warning")
    assert finding["field"] == "foundation.control_plane_subnet_cidrs"


def test_a_later_request_is_held_to_the_part_that_was_chosen_when_the_cluster_was_created(edge: Edge) -> None:
    assert create(edge, {"vpc_cidr": VPC, "compute_cidr": "10.20.16.0/20"}).status == 202
    free_leases("t1")
    for condition in ("FoundationReady", "DependenciesReady"):
        set_condition("t1", condition)
    elsewhere = {**GROUP, "name": "b", "availability_zone": "us-west-2a"}
    answer = edge.send("POST", "/api/clusters/t1/hyperpod", {**HYPERPOD, "instance_groups": [GROUP, elsewhere]})
    [error] = answer.body["errors"]
    assert (answer.status, error["field"]) == (400, "instance_groups[1]")
    assert "10.20.16.0/20 has no free /20 for the compute subnet of b" in error["message"]
    assert "name a subnet of your own as subnet_id" in answer.body["remedy"]
    assert edge.send("POST", "/api/clusters/t1/hyperpod", HYPERPOD).status == 202


def test_only_a_request_that_chooses_ranges_asks_which_are_in_use(edge: Edge) -> None:
    def calls(foundation: dict[str, JsonValue]) -> Counter[str]:
        body = {"tag": "t1", "foundation": foundation}
        return Counter(edge.counting("POST", "/api/clusters", body, query="dry_run=true"))

    assert calls({"vpc_cidr": VPC}) - calls({}) == {"DescribeVpcPeeringConnections": 1, "DescribeVpcs": 1}


def test_ranges_that_nobody_could_look_at_are_looked_at_again_by_the_operation(edge: Edge) -> None:
    refused = {"Error": {"Code": "UnauthorizedOperation", "Message": "not for you"}}
    edge.surroundings.answer(edge.account, "ec2.DescribeVpcPeeringConnections", lambda _: refused)
    answer = create(edge, {"vpc_cidr": VPC})
    assert answer.status == 202
    [finding] = [each for each in answer.body["findings"] if each["check"] == "address_ranges"]
    assert (finding["level"], finding["message"].startswith("unchecked")) == ("warning", True)
