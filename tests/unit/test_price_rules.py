"""What things cost by the shipped price list, and what has no price."""

from __future__ import annotations

from datetime import date
from itertools import permutations

import pytest

from functions.catalog.prices.rules import control_plane_price, nat_gateway_price, price_of, priced, unpriced
from functions.catalog.tables import instance_types, prices
from functions.core.cluster import DesiredGroup
from functions.core.previews import Action, Change, Cost, total

AS_OF = date(2026, 11, 29)


@pytest.mark.parametrize(
    ("instance_type", "capacity_type", "region", "per_hour"),
    [
        ("ml.g6.4xlarge", "on_demand", "us-west-2", 1.654),
        ("ml.g6.4xlarge", None, "us-west-2", 1.654),
        ("ml.g6.4xlarge", "on_demand", "eu-west-1", None),
        ("ml.g6.4xlarge", "spot", "us-west-2", None),
        ("ml.p5en.48xlarge", "on_demand", "us-west-2", None),
        ("ml.p5en.48xlarge", "training_plan", "us-west-2", 0.0),
        ("ml.nothing.large", "on_demand", "us-west-2", None),
    ],
)
def test_an_instance_has_the_price_of_the_list_or_none(
    instance_type: str, capacity_type: str | None, region: str, per_hour: float | None
) -> None:
    expected = None if per_hour is None else Cost(currency="USD", per_hour=per_hour, as_of=AS_OF)
    assert price_of(instance_type, capacity_type, region) == expected


def test_a_control_plane_costs_more_in_extended_support() -> None:
    assert control_plane_price() == Cost(per_hour=0.1, as_of=AS_OF)
    assert control_plane_price("extended") == Cost(per_hour=0.6, as_of=AS_OF)


def test_a_nat_gateway_costs_its_address_too_where_it_has_a_price() -> None:
    assert nat_gateway_price("us-west-2") == Cost(per_hour=0.05, as_of=AS_OF)
    assert nat_gateway_price("ap-southeast-5") is None


def test_every_price_is_of_a_type_of_hyperpod_and_more_than_nothing() -> None:
    listed = prices().instance_types_per_hour
    assert {kind for kinds in listed.values() for kind in kinds} <= set(instance_types())
    assert all(price > 0 for kinds in listed.values() for price in kinds.values())


def test_larger_types_of_a_family_cost_more() -> None:
    """A slip of a digit in the list shows here: within a family the price follows accelerators and memory."""
    kinds, listed = instance_types(), prices().instance_types_per_hour["us-west-2"]
    for one, other in permutations(listed, 2):
        small, large = kinds[one], kinds[other]
        grows = small.vcpus < large.vcpus and small.accelerator_count <= large.accelerator_count
        if small.family == large.family and grows:
            assert listed[one] < listed[other], (one, other)


def group(name: str, count: int, capacity_type: str = "on_demand", *types: str) -> DesiredGroup:
    kinds = list(types) or ["ml.g6.4xlarge"]
    return DesiredGroup(name=name, instance_types=kinds, instance_count=count, capacity_type=capacity_type)


def change(resource: str, name: str, action: Action = Action.CREATE) -> Change:
    return Change(action=action, resource=resource, name=name, reason="as asked for")


def test_the_changes_of_a_creation_cost_what_they_make_and_what_has_no_price_is_named() -> None:
    groups = [
        group("gpu", 2),
        group("spot", 1, "spot"),
        group("either", 1, "on_demand", "ml.g5.xlarge", "ml.g6.xlarge"),
        group("plan", 4, "training_plan", "ml.p5.48xlarge"),
    ]
    made = [("IAM role", "r"), ("EKS cluster", "e"), ("NAT gateway", "n")]
    changes = [change(*each) for each in made] + [change("instance group", each.name) for each in groups]
    found = priced(changes, groups, "us-west-2")
    costs = {each.name: each.cost.per_hour for each in found if each.cost}
    assert costs == {"e": 0.1, "n": 0.05, "gpu": 3.308, "plan": 0.0}
    assert total(found) == Cost(per_hour=3.458, as_of=AS_OF)
    assert unpriced(found) == ["instance group spot", "instance group either"]
    assert [each.model_copy(update={"cost": None}) for each in found] == changes


def test_what_is_deleted_saves_its_price_and_what_is_kept_costs_nothing_more() -> None:
    changes = [
        change("EKS cluster", "e", Action.DELETE),
        change("instance group", "gpu", Action.DELETE),
        change("NAT gateway", "n", Action.KEEP),
    ]
    found = priced(changes, [group("gpu", 1)], "us-west-2")
    assert [each.cost.per_hour if each.cost else None for each in found] == [-0.1, -1.654, None]
    assert unpriced(found) == []


def test_elsewhere_only_what_costs_the_same_everywhere_has_a_price() -> None:
    changes = [change("EKS cluster", "e"), change("NAT gateway", "n"), change("instance group", "gpu")]
    found = priced(changes, [group("gpu", 1)], "eu-west-1")
    assert unpriced(found) == ["NAT gateway n", "instance group gpu"]


def test_a_hyperpod_cluster_that_goes_saves_what_all_its_groups_cost_or_what_that_is_not_is_said() -> None:
    going, kept = change("HyperPod cluster", "hp", Action.DELETE), change("HyperPod cluster", "hp", Action.KEEP)
    (found,) = priced([going], [group("gpu", 2), group("more", 1)], "us-west-2")
    assert found.cost == Cost(per_hour=-4.962, as_of=AS_OF)
    unknown = priced([going, kept], [group("gpu", 2), group("spot", 1, "spot")], "us-west-2")
    assert [each.cost for each in unknown] == [None, None]
    assert unpriced(unknown) == ["HyperPod cluster hp"]
    assert unpriced(priced([change("HyperPod cluster", "hp")], [group("gpu", 2)], "us-west-2")) == []
