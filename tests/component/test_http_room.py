"""What a refusal for want of room offers instead can be had, and room is counted as it will be used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.component.test_http_ranges import GROUP, VPC, create
from tests.component.test_http_support import HYPERPOD, Edge, account, edge
from tests.component.test_ledger_support import ACCOUNT

if TYPE_CHECKING:
    from pydantic import JsonValue

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
