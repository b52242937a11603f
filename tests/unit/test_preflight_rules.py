"""What is found about a request before anything is made: zones, versions, quotas of the network, leftovers."""

from __future__ import annotations

from typing import Any

import pytest

from functions.capacity.preflight.models import Facts as CapacityFacts
from functions.capacity.preflight.models import Quota, ReservedCapacity, TrainingPlan
from functions.catalog.models import Zone
from functions.clusters import rules
from functions.clusters.models import CreateCluster, HyperPod
from functions.clusters.preflight.models import (
    Facts,
    HyperPodFound,
    Leftovers,
    NetworkUse,
    PartFound,
    StackFound,
    SubnetsFound,
    Target,
)
from functions.clusters.preflight.rules import needed, settle
from functions.clusters.preflight.rules.network_quotas import ELASTIC_IPS, INTERFACES, VPCS
from functions.core.findings import Finding, Level, refusal, unchecked, unfinished

ZONES = [Zone("us-east-1a", "use1-az1"), Zone("us-east-1b", "use1-az2"), Zone("us-east-1e", "use1-az3")]
NAMES = [zone.name for zone in ZONES]
G6 = {"g6.4xlarge": frozenset({"us-east-1b", "us-east-1e"})}
HYPERPOD: dict[str, Any] = {
    "availability_zone": "us-east-1e",
    "instance_groups": [{"name": "gpu", "instance_type": "ml.g6.4xlarge", "instance_count": 1}],
}
CREATE = CreateCluster.model_validate({"hyperpod": HYPERPOD})
TARGET = Target("t1", "123456789012", "us-east-1", rules.names_of("t1", "123456789012", "us-east-1"))
PLAN = "arn:aws:sagemaker:us-east-1:123456789012:training-plan/tp1"
OURS = "arn:aws:eks:us-east-1:123456789012:cluster/eks-cluster-t1"
STACK = "arn:aws:cloudformation:us-east-1:123456789012:stack/instantstart-t1/1"


def control_plane_in(*zones: str) -> CreateCluster:
    return CreateCluster.model_validate({"foundation": {"control_plane_availability_zones": list(zones)}})


def hyperpod_in(zone: str) -> HyperPod:
    return HyperPod.model_validate(HYPERPOD | {"availability_zone": zone})


KNOWN = Facts(zones=ZONES)


def found(request: CreateCluster | HyperPod, check: str, facts: Facts = KNOWN) -> list[Finding]:
    """What a check finds about a copy of a request."""
    return [each for each in settle(request.model_copy(deep=True), facts, TARGET) if each.check == check]


@pytest.mark.case(1)
def test_a_zone_without_control_planes_is_refused_there_and_fine_for_instances() -> None:
    [finding] = found(control_plane_in("us-east-1a", "us-east-1e"), "zone")
    assert finding.field == "foundation.control_plane_availability_zones[1]"
    assert (finding.allowed, finding.code) == (["us-east-1a", "us-east-1b"], "invalid_request")
    assert found(CREATE, "zone") == []


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
    findings = found(control_plane_in(*zones), "zone")
    wanted = [f"foundation.control_plane_availability_zones[{n}]" for n in places]
    assert [finding.field for finding in findings] == wanted


@pytest.mark.case(9)
@pytest.mark.parametrize(("offerings", "allowed"), [(None, NAMES), ({}, NAMES), (G6, ["us-east-1b", "us-east-1e"])])
def test_a_zone_of_another_region_is_answered_with_those_of_this_one_that_have_the_type(
    offerings: dict[str, frozenset[str]] | None, allowed: list[str]
) -> None:
    request = hyperpod_in("usw2-az2")
    capacity = CapacityFacts(offerings=offerings)
    [finding] = found(request, "zone", Facts(zones=ZONES, capacity=capacity))
    assert (finding.field, finding.allowed) == ("availability_zone", allowed)
    assert finding.message == "usw2-az2 is not a zone of us-east-1"
    # Nothing is said of the type in a zone that there is not.
    assert [each.level for each in found(request, "instance_type_offering", Facts(zones=ZONES, capacity=capacity))] in (
        [],
        ["warning"],
    )


def test_ids_become_names() -> None:
    sent = {
        "foundation": {"control_plane_availability_zones": ["use1-az2", "us-east-1a"]},
        "hyperpod": HYPERPOD | {"availability_zone": "use1-az3"},
    }
    request = CreateCluster.model_validate(sent)
    settle(request, Facts(zones=ZONES), TARGET)
    assert request.foundation.control_plane_availability_zones == ["us-east-1b", "us-east-1a"]
    assert request.hyperpod is not None
    assert request.hyperpod.availability_zone == "us-east-1e"


def test_without_an_answer_about_zones_only_ids_are_in_the_way() -> None:
    assert found(hyperpod_in("us-east-1e"), "zone_unknown", Facts()) == []
    facts = Facts(capacity=CapacityFacts(offerings=G6))
    [finding] = found(hyperpod_in("use1-az3"), "zone_unknown", facts)
    assert (finding.field, finding.code) == ("availability_zone", "unavailable")
    assert found(hyperpod_in("use1-az3"), "instance_type_offering", facts) == []


def test_a_request_without_zones_needs_no_lookup_of_them() -> None:
    requests = (CreateCluster(), CREATE, control_plane_in("us-east-1a", "us-east-1b"))
    assert [needed(request, TARGET).zones for request in requests] == [False, True, True]


@pytest.mark.case(15)
def test_a_plan_that_names_its_zone_by_id_is_compared_by_it() -> None:
    plan = TrainingPlan(
        PLAN, "tp1", "Active", 4, ("hyperpod-cluster",), (ReservedCapacity("ml.p5.48xlarge", "use1-az2"),)
    )
    group = {"name": "gpu", "instance_type": "ml.p5.48xlarge", "instance_count": 1, "training_plan_arn": PLAN}
    request = HyperPod.model_validate(HYPERPOD | {"instance_groups": [group]})
    capacity = CapacityFacts(plans={PLAN: plan})
    assert settle(request, Facts(zones=ZONES, capacity=capacity), TARGET)
    assert request.instance_groups[0].availability_zone == "us-east-1b"
    there = HyperPod.model_validate(HYPERPOD | {"instance_groups": [group | {"availability_zone": "use1-az2"}]})
    assert found(there, "training_plan_zone", Facts(zones=ZONES, capacity=capacity)) == []


@pytest.mark.parametrize(
    ("wanted", "offered", "allowed"),
    [
        ("1.33", ["1.33", "1.35"], None),
        ("1.33", None, None),
        ("1.35", ["1.32", "1.33", "1.35"], ["1.32", "1.33"]),
        ("1.29", ["1.32", "1.33"], ["1.32", "1.33"]),
        (None, [], None),
    ],
)
def test_a_kubernetes_version_is_one_that_eks_and_hyperpod_have(
    wanted: str | None, offered: list[str] | None, allowed: list[str] | None
) -> None:
    request = CreateCluster.model_validate({"foundation": {"kubernetes_version": wanted}})
    findings = found(request, "kubernetes_version", Facts(kubernetes_versions=offered))
    assert [finding.allowed for finding in findings] == ([allowed] if allowed else [])
    assert needed(request, TARGET).kubernetes_versions == (wanted is not None)


LIMITS = {
    VPCS: Quota("VPCs per Region", VPCS, 5),
    ELASTIC_IPS: Quota("EC2-VPC Elastic IPs", ELASTIC_IPS, 5),
    INTERFACES: Quota("Network interfaces per Region", INTERFACES, 100),
}


@pytest.mark.case(6)
def test_a_new_network_is_compared_with_what_is_left_of_each_quota() -> None:
    def resources(request: CreateCluster | HyperPod, *use: int) -> list[str | None]:
        facts = Facts(zones=ZONES, network_limits=LIMITS, network_use=NetworkUse(*use))
        return [each.resource for each in found(request, "network_quota", facts)]

    assert resources(CreateCluster(), 4, 4, 97) == []
    assert resources(CreateCluster(), 5, 4, 97) == [VPCS]
    assert resources(CreateCluster(), 5, 5, 98) == [VPCS, ELASTIC_IPS, INTERFACES]
    # A node of this type has one interface; on a foundation that stands they are all that is new.
    assert resources(CREATE, 4, 4, 96) == []
    assert resources(CREATE, 4, 4, 97) == [INTERFACES]
    assert resources(hyperpod_in("us-east-1e"), 9, 9, 99) == []
    assert resources(hyperpod_in("us-east-1e"), 9, 9, 100) == [INTERFACES]


@pytest.mark.case(6)
def test_a_vpc_that_is_taken_over_needs_no_quota_of_its_own() -> None:
    foundation = {"vpc_id": "vpc-01234567", "control_plane_subnet_ids": ["subnet-01234567", "subnet-01234568"]}
    request = CreateCluster.model_validate({"foundation": foundation})
    assert found(request, "network_quota", Facts(network_limits=LIMITS, network_use=NetworkUse(5, 5, 0))) == []
    assert needed(request, TARGET).network_limits == [INTERFACES]


def stack(status: str, *, ours: bool = True) -> Leftovers:
    return Leftovers(stack=StackFound("instantstart-t1", STACK, status, ours))


@pytest.mark.parametrize(
    ("leftovers", "levels"),
    [
        (Leftovers(), []),
        (stack("CREATE_COMPLETE"), ["info"]),
        (stack("ROLLBACK_COMPLETE"), ["warning"]),
        (stack("DELETE_IN_PROGRESS"), ["warning"]),
        (stack("CREATE_COMPLETE", ours=False), ["error"]),
        (Leftovers(parts=[PartFound("EKS cluster", "eks-cluster-t1", ours=False)]), ["error"]),
        # A deletion keeps the bucket unless told, and the next stack takes it over.
        (Leftovers(parts=[PartFound("S3 bucket", "b", ours=True)]), ["info"]),
        # No stack takes over what else an earlier one left: its creation would fail halfway.
        (Leftovers(parts=[PartFound("IAM role", "r", ours=True)]), ["error"]),
        (Leftovers(parts=[PartFound("S3 bucket", "b", None, "of another account")]), ["error"]),
    ],
)
def test_what_stands_under_the_names_is_adopted_cleared_or_in_the_way(leftovers: Leftovers, levels: list[str]) -> None:
    findings = found(CreateCluster(), "leftover", Facts(zones=ZONES, leftovers=leftovers))
    assert [finding.level for finding in findings] == levels
    assert all(finding.remedy and finding.field == "tag" for finding in findings if finding.level == "error")


def hyperpod(status: str = "InService", eks: str = OURS, count: int = 1, instances: int = 0) -> Leftovers:
    groups = frozenset({("gpu", ("ml.g6.4xlarge",), count)})
    return Leftovers(hyperpod=HyperPodFound("hp-cluster-t1", "arn:hp", status, eks, groups, instances))


@pytest.mark.parametrize(
    ("leftovers", "expected"),
    [
        (hyperpod(), ("info", None)),
        (hyperpod(count=2), ("error", "instance_groups")),
        (hyperpod("Deleting"), ("warning", None)),
        (hyperpod("Failed"), ("warning", None)),
        (hyperpod("Failed", instances=1), ("error", "tag")),
        # A group without its minimum was given up: the next try begins anew.
        (hyperpod(count=0), ("warning", None)),
        (hyperpod(eks=OURS + "x"), ("error", "tag")),
        (hyperpod(eks=""), ("error", "tag")),
    ],
)
def test_a_hyperpod_cluster_of_the_name_is_adopted_only_where_it_is_the_one_asked_for(
    leftovers: Leftovers, expected: tuple[str, str | None]
) -> None:
    group = HYPERPOD["instance_groups"][0] | {"min_instance_count": 1}
    request = HyperPod.model_validate(HYPERPOD | {"instance_groups": [group]})
    [finding] = found(request, "leftover", Facts(zones=ZONES, leftovers=leftovers))
    assert (finding.level, finding.field) == expected


@pytest.mark.case(22)
def test_room_is_judged_where_the_subnets_are_known() -> None:
    group = {"name": "big", "instance_type": "ml.p5.48xlarge", "instance_count": 60}
    request = HyperPod.model_validate(HYPERPOD | {"instance_groups": [group]})
    assert found(request, "subnet_ip_shortage", Facts(zones=ZONES)) == []
    seen = Facts(zones=ZONES, subnets=SubnetsFound(own=[], given=[]))
    assert [each.field for each in found(request, "subnet_ip_shortage", seen)] == ["instance_groups[0].instance_count"]
    # In a VPC that is yet to be made there is nothing to see.
    whole = CreateCluster.model_validate({"hyperpod": HYPERPOD | {"instance_groups": [group]}})
    [finding] = found(whole, "subnet_ip_shortage", Facts(zones=ZONES))
    assert "60 x 81" in finding.message


def test_a_refusal_says_what_helps_with_each_error_and_of_the_first_for_all() -> None:
    named = (("a", "Do this."), ("b", "Do that."), ("c", None), ("d", "Do this."))
    refused = refusal(
        [Finding(check=c, level=Level.ERROR, message="is wrong", field=c, remedy=remedy) for c, remedy in named]
    )
    assert refused is not None
    assert refused.remedy == "Do this."
    assert {each.field: each.remedy for each in refused.errors} == {"a": None, "b": "Do that.", "c": None, "d": None}


def test_errors_come_first() -> None:
    facts = Facts(zones=ZONES, leftovers=stack("CREATE_COMPLETE"))
    findings = settle(control_plane_in("us-east-1e", "us-east-1a"), facts, TARGET)
    assert [(each.check, each.level) for each in findings] == [("zone", "error"), ("leftover", "info")]


def test_what_did_not_end_is_planned_again() -> None:
    told = settle(control_plane_in("us-east-1a", "us-east-1c"), Facts(zones=ZONES), TARGET)
    assert not unfinished(told)
    assert unfinished([*told, unchecked("leftover", "no time")])
