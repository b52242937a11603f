"""Rules of upgrades: which version may follow, what stands in the way, what is done in which order, which nodes lag."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from functions.clusters.upgrades import rules
from functions.clusters.upgrades.models import (
    AddonFact,
    Compute,
    ControlPlane,
    GroupFact,
    Insight,
    Readiness,
    Rollout,
    UpgradeCluster,
)
from functions.clusters.upgrades.rules import nodes
from functions.clusters.upgrades.rules.nodes import NodeFact
from functions.clusters.upgrades.rules.versions import minor_of, too_old
from functions.core.cluster import ClusterNames, ClusterSpec
from functions.core.findings import Level, refusal
from functions.core.previews import Action

OFFERED = ("1.31", "1.32", "1.33", "1.34", "1.35")
SPEC = ClusterSpec(
    tag="t1",
    account_id="123456789012",
    region="us-west-2",
    names=ClusterNames(
        eks_cluster="eks-t1",
        hyperpod_cluster="hp-t1",
        stack="stack-t1",
        bucket="sagemaker-t1",
        control_plane_role="cp",
        execution_role="ex",
        s3_csi_role="s3",
        training_role="tr",
        inference_role="in",
        role_path="/p/",
    ),
    created_at=datetime(2026, 1, 1, tzinfo=UTC),
)
GPU = GroupFact("gpu", "InService", 4, "1.0.0", newest=True, custom=False)
FOUND = Readiness(
    control_plane=ControlPlane("eks-t1", "ACTIVE", "1.32"),
    offered=OFFERED,
    addons=(
        AddonFact("metrics-server", "v0.7", "v0.8"),
        AddonFact("coredns", "v1", "v2"),
        AddonFact("vpc-cni", "v1", "v1"),
        AddonFact("kube-proxy", "v1.32", "v1.33"),
    ),
    compute=Compute("InService", (GPU,)),
)


@pytest.mark.parametrize(
    ("asked", "present", "offered", "target"),
    [
        (None, "1.32", OFFERED, "1.33"),
        ("1.34", "1.32", OFFERED, "1.34"),
        # HyperPod knows no 1.35 yet, and EKS may not offer what HyperPod knows.
        (None, "1.34", OFFERED, "1.34"),
        (None, "1.32", ("1.32", "1.34"), "1.32"),
    ],
)
def test_the_target_is_what_was_asked_for_else_the_next_version_that_both_have(
    asked: str | None, present: str, offered: tuple[str, ...], target: str
) -> None:
    assert rules.target_of(asked, present, offered) == target


@pytest.mark.parametrize(
    ("present", "target", "allowed", "says"),
    [
        ("1.32", "1.34", ["1.32", "1.33"], "1.33 comes first"),
        ("1.33", "1.32", ["1.33", "1.34"], "never goes back"),
        ("1.34", "1.35", ["1.34"], "HyperPod does not support Kubernetes 1.35"),
        ("1.34", "1.36", ["1.34"], "EKS offers no Kubernetes 1.36"),
    ],
)
def test_a_version_that_cannot_follow_is_refused_with_the_one_that_can(
    present: str, target: str, allowed: list[str], says: str
) -> None:
    [finding] = rules.of_version(present, target, OFFERED)
    assert (finding.level, finding.field, finding.allowed) == (Level.ERROR, "kubernetes_version", allowed)
    assert says in finding.message
    problem = refusal([finding])
    assert problem is not None and problem.status == 400


@pytest.mark.parametrize("target", ["1.32", "1.33"])
def test_the_present_version_and_the_next_one_may_be_asked_for(target: str) -> None:
    assert rules.of_version("1.32", target, OFFERED) == []


def levels(found: Readiness, target: str = "1.33", rollout: Rollout | None = None) -> dict[str, Level]:
    return {each.check: each.level for each in rules.of_readiness(found, target, rollout or Rollout())}


def test_an_upgrade_that_nothing_stands_against_still_tells_what_becomes_of_the_nodes() -> None:
    assert levels(FOUND) == {"upgrade_nodes": Level.WARNING}


@pytest.mark.parametrize(
    ("changed", "check", "level"),
    [
        ({"control_plane": ControlPlane("eks-t1", "UPDATING", "1.32")}, "upgrade_status", Level.ERROR),
        ({"control_plane": ControlPlane("eks-t1", "UPDATING", "1.32", "1.33")}, "upgrade_status", Level.WARNING),
        ({"control_plane": ControlPlane("eks-t1", "UPDATING", "1.31", "1.32")}, "upgrade_status", Level.ERROR),
        ({"compute": Compute("SystemUpdating", ())}, "upgrade_status", Level.ERROR),
        ({"compute": Compute("InService", (replace(GPU, status="Updating"),))}, "upgrade_status", Level.ERROR),
        ({"insights": (Insight("Deprecated APIs", "ERROR", "in use"),)}, "upgrade_insight", Level.ERROR),
        ({"insights": (Insight("Deprecated APIs", "WARNING", "in use"),)}, "upgrade_insight", Level.WARNING),
        ({"insights": (Insight("Deprecated APIs", "UNKNOWN", "?"),)}, "upgrade_insight", Level.WARNING),
        ({"addons": None}, "upgrade_addon", Level.ERROR),
        ({"addons": (AddonFact("cert-manager", "v1", None),)}, "upgrade_addon", Level.ERROR),
        ({"compute": Compute("InService", (replace(GPU, custom=True),))}, "upgrade_custom_image", Level.WARNING),
    ],
)
def test_what_stands_in_the_way_is_an_error_and_what_is_good_to_know_is_not(
    changed: dict[str, object], check: str, level: Level
) -> None:
    assert levels(replace(FOUND, **changed))[check] is level  # type: ignore[arg-type]


def test_an_insight_names_the_deprecated_api_and_what_takes_its_place() -> None:
    insight = Insight("Deprecated APIs", "ERROR", "in use", "Migrate.", ("/apis/x/v1beta1 (use /apis/x/v1)",))
    [finding, *_] = rules.of_readiness(replace(FOUND, insights=(insight,)), "1.33", Rollout())
    assert "/apis/x/v1beta1 (use /apis/x/v1)" in finding.message
    assert finding.remedy == "Migrate."


def test_insights_are_about_the_next_version_and_not_about_bringing_the_rest_to_the_present_one() -> None:
    found = replace(FOUND, insights=(Insight("Deprecated APIs", "ERROR", "in use"),))
    assert "upgrade_insight" not in levels(found, "1.32")


SETTLED = replace(FOUND, addons=(AddonFact("coredns", "v2", "v2"),), settled="1.32")


@pytest.mark.parametrize(
    ("changed", "nothing"),
    [
        ({}, True),
        ({"settled": None}, True),
        ({"settled": "1.31"}, False),
        ({"addons": None}, False),
        ({"compute": None, "compute_known": False}, False),
        ({"addons": (AddonFact("coredns", "v1", "v2"),)}, False),
        ({"compute": Compute("InService", (replace(GPU, newest=False),))}, False),
        ({"compute": Compute("InService", (replace(GPU, last_update="RollbackComplete"),))}, False),
        ({"compute": Compute("InService", (replace(GPU, newest=False, custom=True),))}, True),
    ],
)
def test_there_is_nothing_to_do_when_everything_is_where_it_would_be_brought(
    changed: dict[str, object], nothing: bool
) -> None:
    found = replace(SETTLED, **changed)  # type: ignore[arg-type]
    assert ("upgrade_nothing_to_do" in levels(found, "1.32")) is nothing


def test_the_control_plane_comes_first_then_add_ons_in_their_order_then_nodes() -> None:
    assert rules.stages(SPEC, FOUND, release=True, nodes=True) == [
        ("preflight", "upgrade_preflight"),
        ("control_plane", "control_plane"),
        ("addons", "foundation_addons"),
        ("addons", "addon:coredns"),
        ("addons", "addon:metrics-server"),
        ("addons", "helm_release:dependencies"),
        ("nodes", "node_images"),
        ("nodes", "cluster_version"),
        ("verify", "verify"),
    ]


def test_of_an_imported_cluster_eks_owns_all_add_ons_and_its_release_is_left_alone() -> None:
    imported = SPEC.model_copy(update={"origin": "imported"})
    names = [name for _, name in rules.stages(imported, FOUND, release=False, nodes=True)]
    assert names == [
        "upgrade_preflight",
        "control_plane",
        "addon:kube-proxy",
        "addon:vpc-cni",
        "addon:coredns",
        "addon:metrics-server",
        "node_images",
        "cluster_version",
        "verify",
    ]


def test_a_preview_says_what_changes_and_what_has_no_way_back() -> None:
    changes = rules.changes(SPEC, FOUND, UpgradeCluster(), "1.33", release=False, nodes=True)
    assert [(each.action, each.name, each.irreversible) for each in changes] == [
        (Action.CHANGE, "eks-t1", True),
        (Action.CHANGE, "kube-proxy", False),
        (Action.KEEP, "vpc-cni", False),
        (Action.CHANGE, "coredns", False),
        (Action.CHANGE, "metrics-server", False),
        (Action.CHANGE, "gpu", True),
    ]
    assert "stack-t1" in changes[0].reason


def test_the_stages_work_by_the_versions_of_the_preview() -> None:
    kept = rules.kept_request(UpgradeCluster(), FOUND, "1.33")
    assert kept["kubernetes_version"] == "1.33"
    assert kept["addon_versions"] == {"metrics-server": "v0.8", "coredns": "v2", "vpc-cni": "v1", "kube-proxy": "v1.33"}


def test_before_the_first_upgrade_it_is_noted_where_the_cluster_was() -> None:
    assert rules.noted(SPEC, FOUND, "1.33") == {"kubernetes_version": "1.32"}
    assert rules.noted(SPEC, FOUND, "1.32") is None
    assert rules.noted(SPEC.model_copy(update={"kubernetes_version": "1.32"}), FOUND, "1.33") is None


@pytest.mark.parametrize(
    ("kubelets", "target", "old"),
    [
        ({"a": "v1.30.4-eks-ecaa3a6", "b": "v1.31.0"}, "1.33", []),
        ({"a": "v1.30.4-eks-ecaa3a6", "b": "v1.31.0"}, "1.34", ["a"]),
        ({"a": "", "b": "odd"}, "1.34", []),
    ],
)
def test_a_kubelet_may_be_three_minors_behind(kubelets: dict[str, str], target: str, old: list[str]) -> None:
    assert too_old(kubelets, target) == old


def test_a_minor_is_read_from_either_spelling() -> None:
    assert [minor_of(each) for each in ("1.34", "v1.34.2-eks-ecaa3a6", "1.9", "")] == [34, 34, 9, 0]


NODE = NodeFact("i-1", "gpu", "Running", "", newest=True, version="v1.33.1", ready=True)
COMPUTE = Compute("InService", (GPU, replace(GPU, name="own", custom=True)))


@pytest.mark.parametrize(
    ("node", "group", "behind"),
    [
        (NODE, GPU, {}),
        (replace(NODE, version="v1.32.0"), GPU, {"gpu": ["i-1"]}),
        (replace(NODE, newest=False), GPU, {"gpu": ["i-1"]}),
        (replace(NODE, group="own", version="v1.32.0"), GPU, {}),
        # An instance that is no node yet says nothing of its version.
        (replace(NODE, version=""), GPU, {}),
        (NODE, replace(GPU, last_update="Failed"), {"gpu": []}),
    ],
)
def test_groups_are_behind_by_their_nodes_versions_and_images(
    node: NodeFact, group: GroupFact, behind: dict[str, list[str]]
) -> None:
    compute = Compute("InService", (group, replace(GPU, name="own", custom=True)))
    found = nodes.behind(compute, [node], "1.33")
    assert {name: [each.instance_id for each in own] for name, own in found.items()} == behind


def test_a_failure_names_the_nodes_that_are_not_through_and_what_was_said_of_one() -> None:
    late = replace(NODE, instance_id="i-2", version="v1.32.0", message="Lifecycle scripts did not run successfully.")
    compute = Compute("InService", (replace(GPU, last_update="RollbackComplete"),))
    found = nodes.failed(compute, [NODE, late], "1.33")
    problem = nodes.not_updated([*found], found["gpu"], "1.33")
    assert problem.cause is not None
    assert (problem.cause.code, problem.cause.resource) == ("LIFECYCLE_SCRIPT", "i-2")
    assert "i-2" in problem.detail and "i-1" not in problem.detail
    assert nodes.progress([NODE, late], "1.33") == "1/2 nodes run 1.33 and are Ready"


@pytest.mark.parametrize(
    "rollout",
    [
        {"batch_size": 1, "batch_percentage": 10},
        {"batch_size": 0},
        {"batch_percentage": 101},
        {"wait_seconds": 3601},
        {"alarms": [f"alarm-{number}" for number in range(11)]},
    ],
)
def test_a_rollout_that_hyperpod_would_refuse_is_refused(rollout: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        UpgradeCluster.model_validate({"rollout": rollout})


def test_a_quarter_of_a_group_at_a_time_is_the_default() -> None:
    assert UpgradeCluster().rollout.batch_percentage == 25
    assert Rollout(batch_size=2).batch_percentage is None
