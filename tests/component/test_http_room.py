"""What a refusal for want of room offers instead can be had, and room is counted as it will be used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from functions.network.ranges.rules import Room
from tests.component.test_http_ranges import GROUP, VPC, create
from tests.component.test_http_support import HYPERPOD, Edge, account, edge
from tests.component.test_ledger_support import ACCOUNT

if TYPE_CHECKING:
    from pydantic import JsonValue

    from functions.network.subnets.rules.needs import Need

__all__ = ["account", "edge"]

TEN = {**GROUP, "instance_count": 10}
CPU = {"name": "cpu", "instance_type": "ml.c5.large", "instance_count": 1}
HELPED: dict[str, JsonValue] = {"vpc_cidr": "10.20.0.0/22", "compute_cidr": "10.20.2.0/23"}


@pytest.mark.parametrize(
    ("chosen", "hyperpod", "full", "remedy"),
    [
        (
            {"vpc_cidr": "10.20.0.0/24"},
            {"subnet_prefix": 25},
            "10.20.0.0/24 has no free /23 left",
            "subnet_prefix: 23 in a larger foundation.vpc_cidr",
        ),
        (
            {"vpc_cidr": "10.20.0.0/24", "compute_cidr": "10.20.0.0/25"},
            {"subnet_prefix": 26},
            "10.20.0.0/25 has no free /23 left",
            "subnet_prefix: 23 in a larger foundation.compute_cidr in a larger vpc_cidr",
        ),
        # A part of which half is enough.
        ({"vpc_cidr": VPC, "compute_cidr": "10.20.16.0/22"}, {"subnet_prefix": 26}, "", "subnet_prefix: 23"),
    ],
)
def test_only_a_subnet_that_fits_is_offered_for_more_nodes_than_one_has_addresses_for(
    edge: Edge, chosen: dict[str, JsonValue], hyperpod: dict[str, JsonValue], full: str, remedy: str
) -> None:
    many = {**HYPERPOD, "instance_groups": [TEN], **hyperpod}
    answer = create(edge, chosen, hyperpod=many)
    [error] = answer.body["errors"]
    assert (answer.status, error["field"]) == (409, "hyperpod.instance_groups[0].instance_count"), answer.body
    assert full in error["message"]
    choices = answer.body["remedy"].partition("Choose one: ")[2].partition(". Then")[0].split("; ")
    own = "dedicated_subnet: true for gpu (and its own subnet_prefix: 23)"
    assert choices == [*([] if full else [own]), remedy, "ask for fewer instances"]
    helped = create(edge, HELPED if full else chosen, hyperpod={**many, "subnet_prefix": 23})
    assert helped.status == 202, helped.body


def test_a_subnet_of_its_own_is_offered_to_a_group_for_which_one_fits_beside_the_others(edge: Edge) -> None:
    chosen: dict[str, JsonValue] = {"vpc_cidr": "10.20.0.0/23"}
    groups = [{**GROUP, "instance_count": 3}, {**GROUP, "name": "b", "instance_count": 5}]
    answer = create(edge, chosen, hyperpod={**HYPERPOD, "instance_groups": groups, "subnet_prefix": 25})
    assert "dedicated_subnet: true for gpu (and its own subnet_prefix: 25)" in answer.body["remedy"], answer.body
    assert "for b" not in answer.body["remedy"]


def room_findings(edge: Edge, foundation: dict[str, JsonValue], **hyperpod: object) -> dict[str, dict[str, str]]:
    """Ask for a preview, and give what is in the way of it for want of room, by its check."""
    answer = create(edge, foundation, "dry_run=true", hyperpod={**HYPERPOD, **hyperpod})
    checks = ("address_ranges", "subnet_ip_shortage")
    return {each["check"]: each for each in answer.body["findings"] if each["check"] in checks}


@pytest.mark.parametrize(("count", "fits"), [(100, False), (40, True)])
def test_no_smaller_subnet_is_offered_in_which_its_nodes_have_no_room(edge: Edge, count: int, fits: bool) -> None:
    fleet = {**GROUP, "instance_type": "ml.p5.48xlarge", "instance_count": count, "dedicated_subnet": True}
    own = fleet if count == 100 else {**fleet, "subnet_prefix": 19}
    found = room_findings(edge, {"vpc_cidr": "10.20.0.0/19"}, instance_groups=[own])
    assert "has no free /19 for the compute subnet of gpu" in found["address_ranges"]["message"]
    assert ("ask for a /20 or a smaller one by subnet_prefix" in found["address_ranges"]["remedy"]) is fits


@pytest.mark.parametrize(("count", "offers"), [(30, [20]), (31, [])])
def test_of_a_fleet_of_groups_not_every_offer_is_laid_out(
    edge: Edge, monkeypatch: pytest.MonkeyPatch, count: int, offers: list[int]
) -> None:
    laid: list[int] = []
    holds = Room.holds_sized

    def noted(room: Room, wanted: Need, prefix: int) -> bool:
        laid.append(prefix)
        return holds(room, wanted, prefix)

    monkeypatch.setattr(Room, "holds_sized", noted)
    groups = [{**CPU, "name": f"cpu-{each}", "instance_count": 10} for each in range(count)]
    found = room_findings(edge, {"vpc_cidr": VPC}, instance_groups=groups, subnet_prefix=28)
    assert "subnet_prefix: 20" in found["subnet_ip_shortage"]["remedy"]
    assert laid == offers


def test_a_range_that_is_yet_to_be_found_is_not_named(edge: Edge) -> None:
    fleet = {**GROUP, "instance_type": "ml.p5.48xlarge", "instance_count": 700}
    found = room_findings(edge, {}, instance_groups=[fleet])
    assert found["subnet_ip_shortage"]["message"].endswith("; a new /16 VPC has no free /16 left")


SMALLEST: dict[str, JsonValue] = {"vpc_cidr": "10.20.0.0/25"}


@pytest.mark.parametrize("named", [{}, {"public_subnet_cidrs": ["10.20.0.0/27", "10.20.0.64/27"]}])
def test_of_the_smallest_vpc_compute_gets_what_the_control_plane_leaves(
    edge: Edge, named: dict[str, JsonValue]
) -> None:
    small = {**HYPERPOD, "instance_groups": [CPU], "subnet_prefix": 27}
    answer = create(edge, {**SMALLEST, **named}, hyperpod=small)
    assert answer.status == 202, answer.body
    [finding] = [each for each in answer.body["findings"] if each["check"] == "address_ranges"]
    assert ("/28" in finding["message"], "internal load balancers" in finding["message"]) == (True, True)


@pytest.mark.parametrize(
    ("foundation", "hyperpod", "remedy"),
    [
        # A foundation alone has no subnet_prefix to say.
        (SMALLEST, None, "Choose a larger vpc_cidr or name compute_cidr, which gives a zone's subnet its size."),
        (
            {"vpc_cidr": "10.20.0.0/22"},
            {"instance_groups": [CPU]},
            "Choose a larger vpc_cidr, name compute_cidr, which gives a zone's subnet its size, or ask for a /23 or a "
            "smaller one by subnet_prefix beside instance_groups.",
        ),
        # Nothing is smaller than a /28.
        (
            {"vpc_cidr": "10.20.0.0/24", "compute_cidr": "10.20.0.0/28"},
            {"instance_groups": [CPU, {**CPU, "name": "b", "availability_zone": "us-west-2a"}]},
            "Choose a larger compute_cidr.",
        ),
        # Half of the VPC is as much as it can give.
        (
            {"vpc_cidr": "10.20.0.0/20", "compute_cidr": "10.20.8.0/21"},
            {"instance_groups": [CPU], "subnet_prefix": 20},
            "Choose a larger compute_cidr in a larger vpc_cidr or ask for a /21 or a smaller one by subnet_prefix "
            "beside instance_groups.",
        ),
        # No VPC is larger than a /16.
        ({"vpc_cidr": VPC, "compute_cidr": VPC}, None, "Leave more of vpc_cidr free beside the ranges that are named."),
        (
            {"vpc_cidr": VPC},
            {"instance_groups": [CPU], "subnet_prefix": 16},
            "Ask for a /17 or a smaller one by subnet_prefix beside instance_groups.",
        ),
    ],
)
def test_a_refusal_for_want_of_room_names_only_what_there_is_to_choose(
    edge: Edge, foundation: dict[str, JsonValue], hyperpod: dict[str, JsonValue] | None, remedy: str
) -> None:
    members: dict[str, object] = {} if hyperpod is None else {"hyperpod": {**HYPERPOD, **hyperpod}}
    answer = create(edge, foundation, "", **members)
    assert (answer.status, answer.body["remedy"]) == (400, remedy), answer.body


def test_compute_subnets_are_counted_in_the_zones_of_training_plans(edge: Edge) -> None:
    plan = f"arn:aws:sagemaker:us-west-2:{ACCOUNT}:training-plan/tp1"
    edge.surroundings.plans[plan] = {
        "Status": "Active",
        "AvailableInstanceCount": 1,
        "TargetResources": ["hyperpod-cluster"],
        "ReservedCapacitySummaries": [
            {"InstanceType": "ml.p5.48xlarge", "TotalInstanceCount": 1, "AvailabilityZone": "us-west-2a"}
        ],
    }
    reserved = {"name": "p", "instance_type": "ml.p5.48xlarge", "instance_count": 1, "training_plan_arn": plan}
    both = {**HYPERPOD, "instance_groups": [GROUP, reserved]}
    answer = create(edge, {"vpc_cidr": VPC, "compute_cidr": "10.20.16.0/22"}, hyperpod=both)
    assert (answer.status, answer.fields) == (400, ["foundation.compute_cidr"]), answer.body
    assert "no free /22 for the compute subnet of p" in answer.body["errors"][0]["message"]
