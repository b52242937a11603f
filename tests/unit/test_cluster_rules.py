"""Decisions about clusters."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from functions.catalog.models import Zone
from functions.catalog.rules import control_plane_zones
from functions.clusters import rules
from functions.clusters.models import Condition, ConfigureDependencies, CreateCluster, HyperPod, S3Mount
from functions.core.cluster import DesiredMount

ZONES = [Zone("us-east-1a", "use1-az1"), Zone("us-east-1b", "use1-az2"), Zone("us-east-1e", "use1-az3")]
HYPERPOD: dict[str, Any] = {
    "availability_zone": "us-east-1e",
    "instance_groups": [{"name": "gpu", "instance_type": "ml.g6.4xlarge", "instance_count": 1}],
}
CREATE = CreateCluster.model_validate({"hyperpod": HYPERPOD})


def control_plane_in(*zones: str) -> CreateCluster:
    return CreateCluster.model_validate({"foundation": {"control_plane_availability_zones": list(zones)}})


def ready(**conditions: str) -> list[Condition]:
    return [Condition.model_validate({"type": name, "status": status}) for name, status in conditions.items()]


def test_a_generated_tag_is_the_same_for_the_same_caller_and_key_only() -> None:
    tags = [rules.generated_tag(*pair) for pair in (("ann", "k1"), ("ann", "k1"), ("ann", "k2"), ("bob", "k1"))]
    assert tags[0] == tags[1]
    assert len(set(tags)) == 3
    assert CreateCluster.model_validate({"tag": tags[0]}).tag == tags[0]


@pytest.mark.parametrize(
    ("request_", "kind"),
    [
        (CREATE, "create_cluster"),
        (CreateCluster(), "create_foundation"),
        (ConfigureDependencies(), "configure_dependencies"),
        (CREATE.hyperpod, "create_hyperpod"),
        (S3Mount(), "create_storage"),
    ],
)
def test_each_request_is_of_one_kind_and_ends_with_a_check_of_everything(request_: rules.Request, kind: str) -> None:
    plan = rules.plan(kind, request_)
    assert rules.kind_of(request_) == kind
    assert plan[-1] == ("verify", "verify")
    assert {phase for phase, _ in plan} - {"verify"} == set(rules.SCOPES[kind])


@pytest.mark.parametrize(
    ("mount", "stage"),
    [
        (S3Mount(name="data"), "mount:data"),
        (S3Mount(name="data", namespace="default"), "mount:data"),
        (S3Mount(name="data", namespace="team-a"), "mount:team-a/data"),
    ],
)
def test_a_mount_is_planned_by_its_name_and_the_namespace_if_it_is_not_the_default(mount: S3Mount, stage: str) -> None:
    assert ("storage", stage) in rules.plan("create_storage", mount)


def test_a_mount_joins_those_there_are_and_is_kept_once() -> None:
    spec = rules.spec_of(CREATE, "t1", "123456789012", "us-east-1", datetime(2026, 5, 10, tzinfo=UTC))
    first, other = {"name": "s3-claim", "namespace": "default"}, {"name": "s3-claim", "namespace": "team-a"}
    assert rules.changes_of(S3Mount(namespace="team-a"), spec) == {"mounts": [first, other]}
    assert rules.changes_of(S3Mount(), spec) == {"mounts": [first]}
    assert rules.changes_of(ConfigureDependencies(), spec) is None


def test_the_spec_holds_what_was_asked_for_and_the_names_for_it() -> None:
    spec = rules.spec_of(CREATE, "t1", "123456789012", "us-east-1", datetime(2026, 5, 10, tzinfo=UTC))
    assert spec.names == rules.names_of("t1", "123456789012", "us-east-1")
    assert spec.names.hyperpod_cluster == "hp-cluster-t1"
    assert [(group.name, group.instance_count) for group in spec.instance_groups] == [("gpu", 1)]
    assert (spec.node_recovery, spec.mounts) == ("automatic", [DesiredMount(name="s3-claim", namespace="default")])


@pytest.mark.parametrize(
    ("kind", "conditions", "needed"),
    [
        ("create_cluster", {}, None),
        ("configure_dependencies", {}, "FoundationReady"),
        ("configure_dependencies", {"FoundationReady": "Unknown"}, "FoundationReady"),
        ("configure_dependencies", {"FoundationReady": "True"}, None),
        ("create_hyperpod", {"FoundationReady": "True"}, "DependenciesReady"),
        ("create_hyperpod", {"DependenciesReady": "True"}, "FoundationReady"),
        ("create_storage", {"FoundationReady": "True", "DependenciesReady": "True"}, "HyperPodReady"),
        ("create_storage", {"FoundationReady": "True", "DependenciesReady": "True", "HyperPodReady": "True"}, None),
    ],
)
def test_a_phase_needs_all_the_earlier_ones(kind: str, conditions: dict[str, str], needed: str | None) -> None:
    found = rules.unmet("t1", kind, ready(**conditions))
    assert (found and found.resource) == needed


def test_eks_serves_no_control_plane_in_three_zones_of_the_world() -> None:
    everywhere = [Zone("x", zone) for zone in ("use1-az3", "usw1-az2", "cac1-az3", "use1-az1", "usw1-az1")]
    assert [zone.id for zone in control_plane_zones(everywhere)] == ["use1-az1", "usw1-az1"]


@pytest.mark.case(1)
def test_a_zone_without_control_planes_is_refused_there_and_fine_for_instances() -> None:
    request = control_plane_in("us-east-1a", "us-east-1e")
    (error,) = rules.check_zones(request, ZONES, "us-east-1")
    assert error.field == "foundation.control_plane_availability_zones[1]"
    assert error.allowed == ["us-east-1a", "us-east-1b"]
    assert rules.check_zones(CREATE, ZONES, "us-east-1") == []


@pytest.mark.parametrize(
    ("zones", "places"),
    [
        (("us-east-1a", "us-east-1b"), []),
        (("use1-az1", "us-east-1b"), []),
        (("us-east-1a", "use1-az1"), [1]),
        (("eu-west-1a", "us-west-2a"), [0, 1]),
    ],
)
def test_control_plane_zones_are_two_different_ones_of_the_region(zones: tuple[str, ...], places: list[int]) -> None:
    errors = rules.check_zones(control_plane_in(*zones), ZONES, "us-east-1")
    assert [error.field for error in errors] == [f"foundation.control_plane_availability_zones[{n}]" for n in places]


@pytest.mark.case(9)
def test_a_zone_id_of_another_region_is_answered_with_this_regions_zones() -> None:
    request = HyperPod.model_validate(HYPERPOD | {"availability_zone": "usw2-az2"})
    (error,) = rules.check_zones(request, ZONES, "us-east-1")
    assert (error.field, error.allowed) == ("availability_zone", [zone.name for zone in ZONES])
    assert error.message == "usw2-az2 is not a zone of us-east-1"


def test_ids_become_names() -> None:
    request = CreateCluster.model_validate(
        {
            "foundation": {"control_plane_availability_zones": ["use1-az2", "us-east-1a"]},
            "hyperpod": HYPERPOD | {"availability_zone": "use1-az3"},
        }
    )
    rules.use_zone_names(request, ZONES)
    assert request.foundation.control_plane_availability_zones == ["us-east-1b", "us-east-1a"]
    assert request.hyperpod is not None
    assert request.hyperpod.availability_zone == "us-east-1e"


def test_a_request_without_zones_needs_no_lookup() -> None:
    assert not rules.names_zones(CreateCluster())
    assert rules.names_zones(CREATE)
    assert rules.names_zones(control_plane_in("us-east-1a", "us-east-1b"))
