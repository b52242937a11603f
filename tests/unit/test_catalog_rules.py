"""The catalog's own tables agree with AWS's service models, and its rules with what they know."""

from __future__ import annotations

import botocore.session
import pytest
from botocore.model import StringShape

from functions.catalog.instance_types.rules import NAMED_AT_MOST, chosen, named_types
from functions.catalog.kubernetes_versions.models import OfferedVersion
from functions.catalog.kubernetes_versions.rules import versions
from functions.catalog.models import Hardware, Zone
from functions.catalog.places.rules import offered_in, region_view, zone_view
from functions.catalog.tables import instance_types, regions_with_hyperpod
from functions.catalog.training_plans.rules import RESERVABLE_TYPES, STATUSES
from functions.core.errors import InvalidRequest


@pytest.mark.parametrize(
    ("shape", "known"), [("ReservedCapacityInstanceType", RESERVABLE_TYPES), ("TrainingPlanStatus", STATUSES)]
)
def test_what_training_plans_have_is_what_sagemakers_model_says(shape: str, known: tuple[str, ...]) -> None:
    model = botocore.session.get_session().get_service_model("sagemaker").shape_for(shape)
    assert isinstance(model, StringShape)
    assert sorted(known) == sorted(model.enum)


def test_regions_are_regions() -> None:
    known = botocore.session.get_session().get_available_regions("sagemaker")
    assert regions_with_hyperpod() <= set(known)


def test_a_region_without_a_listed_price_is_open_and_not_without_hyperpod() -> None:
    assert region_view("ca-west-1", None).hyperpod is None
    assert region_view("us-west-2", None).hyperpod is True


def test_a_zone_without_control_planes_still_takes_nodes() -> None:
    zones = [Zone("us-east-1e", "use1-az3"), Zone("us-east-1a", "use1-az1", "impaired")]
    seen = [(each.name, each.state, each.control_plane) for each in (zone_view(zone, [], None) for zone in zones)]
    assert seen == [("us-east-1e", "available", False), ("us-east-1a", "impaired", True)]
    assert region_view("us-east-1", zones).control_plane_zones == ["us-east-1a"]


@pytest.mark.parametrize(
    ("offerings", "offered"),
    [
        (None, None),
        ({}, None),
        ({"p5.48xlarge": frozenset({"a"})}, True),
        ({"p5.48xlarge": frozenset({"b"})}, False),
    ],
)
def test_an_offering_is_true_false_or_open(offerings: dict[str, frozenset[str]] | None, offered: bool | None) -> None:
    assert offered_in("ml.p5.48xlarge", "a", offerings) is offered


def test_a_choice_follows_ec2_where_it_speaks_and_the_table_where_not() -> None:
    known = [instance_types()[name] for name in ("ml.p5.48xlarge", "ml.c6a.48xlarge", "ml.c5.large")]
    with_efa = Hardware("x86_64", 192, 384 * 1024, None, 0, 0, 1)

    def names(found: dict[str, Hardware] | None, accelerated: bool | None, efa: bool | None) -> list[str]:
        return [each.type for each in chosen(known, found, accelerated=accelerated, efa=efa)]

    assert names(None, None, None) == ["ml.c5.large", "ml.c6a.48xlarge", "ml.p5.48xlarge"]
    assert names(None, None, True) == ["ml.p5.48xlarge"]
    assert names({"c6a.48xlarge": with_efa}, None, True) == ["ml.c6a.48xlarge", "ml.p5.48xlarge"]
    assert names({"c6a.48xlarge": with_efa}, False, False) == ["ml.c5.large"]


def test_types_are_named_once_each_and_not_too_many() -> None:
    assert named_types(None) == named_types(" , ") == []
    assert named_types("ml.g6.4xlarge, ml.c5.large,ml.g6.4xlarge") == ["ml.g6.4xlarge", "ml.c5.large"]
    many = ",".join(sorted(instance_types())[: NAMED_AT_MOST + 1])
    with pytest.raises(InvalidRequest) as error:
        named_types(many)
    assert [each.field for each in error.value.errors] == ["instance_types"]


def test_a_version_that_eks_no_longer_supports_is_no_choice() -> None:
    offered = [
        OfferedVersion("1.34", "UNSUPPORTED", None, None),
        OfferedVersion("1.9", "STANDARD_SUPPORT", None, None),
        OfferedVersion("1.33", "STANDARD_SUPPORT", None, None),
        OfferedVersion("1.30", "EXTENDED_SUPPORT", None, None),
    ]
    assert [(each.version, each.default) for each in versions(offered)] == [("1.33", True), ("1.30", False)]
    assert versions([]) == []
