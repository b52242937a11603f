"""What a request may say about the network of its instance groups."""

from __future__ import annotations

from typing import Any

import pytest

from functions.capacity.models import InstanceGroup
from functions.clusters.models import HyperPod
from tests.unit.test_cluster_models import GROUP, HYPERPOD, errors_of, fields_of

GIVEN = "subnet-0123456789abcdef0"


@pytest.mark.parametrize(
    "network",
    [
        {},
        {"subnet_id": GIVEN},
        {"subnet_id": "subnet-01234567", "availability_zone": "us-west-2a"},
        {"dedicated_subnet": True, "availability_zone": "usw2-az1"},
        {"dedicated_subnet": True, "subnet_prefix": 16},
        {"dedicated_subnet": True, "subnet_prefix": 28, "network_interface": "efa_only"},
        {"dedicated_subnet": False, "network_interface": "efa"},
    ],
)
def test_a_group_takes_a_given_subnet_or_one_of_its_own_or_its_zones(network: dict[str, Any]) -> None:
    group = InstanceGroup.model_validate(GROUP | network)
    assert group.model_dump(exclude_unset=True) == GROUP | network


@pytest.mark.parametrize(
    ("network", "field"),
    [
        ({"subnet_id": GIVEN, "dedicated_subnet": True}, "dedicated_subnet"),
        ({"subnet_id": GIVEN, "subnet_prefix": 20}, "subnet_prefix"),
        ({"subnet_prefix": 20}, "subnet_prefix"),
        ({"dedicated_subnet": True, "subnet_prefix": 15}, "subnet_prefix"),
        ({"dedicated_subnet": True, "subnet_prefix": 29}, "subnet_prefix"),
        ({"dedicated_subnet": True, "subnet_prefix": "20"}, "subnet_prefix"),
        ({"dedicated_subnet": "yes"}, "dedicated_subnet"),
        ({"subnet_id": "subnet-xyz"}, "subnet_id"),
        ({"subnet_id": "vpc-0123456789abcdef0"}, "subnet_id"),
        ({"network_interface": "efa-only"}, "network_interface"),
        ({"availability_zone": ""}, "availability_zone"),
    ],
)
def test_a_choice_that_cannot_be_is_refused_at_its_field(network: dict[str, Any], field: str) -> None:
    assert fields_of(InstanceGroup, GROUP | network) == [field]


def test_the_words_for_interfaces_are_listed() -> None:
    (error,) = errors_of(InstanceGroup, GROUP | {"network_interface": "ena"})
    assert error.allowed == ["efa", "efa_only"]


@pytest.mark.parametrize(("prefix", "refused"), [(16, []), (28, []), (15, ["subnet_prefix"]), (29, ["subnet_prefix"])])
def test_the_zones_subnets_have_a_size_that_a_subnet_may_have(prefix: int, refused: list[str]) -> None:
    request = HYPERPOD | {"subnet_prefix": prefix}
    if refused:
        assert fields_of(HyperPod, request) == refused
    else:
        assert HyperPod.model_validate(request).subnet_prefix == prefix
