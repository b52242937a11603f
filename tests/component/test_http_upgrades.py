"""Upgrades as they are asked for, through HTTP events: what refuses them, what is told, what has to be confirmed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from tests.component.test_http_support import Answer, Edge, account, edge, set_condition, stages_of, standing

__all__ = ["account", "edge"]

UPGRADE = "/api/clusters/t1/upgrade"
CONDITIONS = ("FoundationReady", "DependenciesReady", "HyperPodReady", "StorageReady")


@dataclass
class ElasticKubernetes:
    """What EKS says of the one cluster there is; tests change it before they send a request."""

    version: str = "1.33"
    status: str = "ACTIVE"
    updating_to: str = "1.34"
    addon: str = "v1.11.4-eksbuild.2"
    offered_addons: dict[str, str] = field(default_factory=lambda: {"coredns": "v1.12.4-eksbuild.1"})
    insights: list[tuple[str, str, str]] = field(default_factory=list)

    def install(self, edge: Edge) -> None:
        answers: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "DescribeCluster": lambda _: {"cluster": {"name": "e", "status": self.status, "version": self.version}},
            "DescribeClusterVersions": lambda _: {
                "clusterVersions": [{"clusterVersion": f"1.{minor}"} for minor in range(31, 36)]
            },
            "ListUpdates": lambda _: {"updateIds": ["u1"]},
            "DescribeUpdate": lambda _: {"update": self._update()},
            "ListAddons": lambda _: {"addons": ["coredns"]},
            "DescribeAddon": lambda _: {"addon": {"status": "ACTIVE", "addonVersion": self.addon}},
            "DescribeAddonVersions": lambda _: {"addons": [self._offer(*each) for each in self.offered_addons.items()]},
            "ListInsights": lambda _: {"insights": [{"id": name} for name, _, _ in self.insights]},
            "DescribeInsight": lambda _: {"insight": self._insight()},
        }
        for operation, answer in answers.items():
            edge.surroundings.answer(edge.account, f"eks.{operation}", answer)

    def _update(self) -> dict[str, Any]:
        params = [{"type": "Version", "value": self.updating_to}]
        return {"id": "u1", "type": "VersionUpdate", "status": "InProgress", "params": params}

    def _offer(self, name: str, version: str) -> dict[str, Any]:
        compatible = [{"clusterVersion": "1.34", "defaultVersion": True}]
        return {"addonName": name, "addonVersions": [{"addonVersion": version, "compatibilities": compatible}]}

    def _insight(self) -> dict[str, Any]:
        [(name, status, reason)] = self.insights
        return {"name": name, "insightStatus": {"status": status, "reason": reason}, "recommendation": "Do it."}


@pytest.fixture
def eks(edge: Edge) -> ElasticKubernetes:
    """A cluster at 1.33 that could be at 1.34, with one group of nodes."""
    standing(edge, "t1", *CONDITIONS)
    made = ElasticKubernetes()
    made.install(edge)
    edge.surroundings.clusters["hp-cluster-t1"] = [group()]
    return made


def group(**changes: object) -> dict[str, Any]:
    known = {"InstanceGroupName": "gpu", "Status": "InService", "CurrentCount": 2}
    return {**known, "CurrentImageReleaseVersion": "1.0.0", "ImageVersionStatus": "UpToDate", **changes}


def preview(edge: Edge, body: object = None) -> Answer:
    answer = edge.send("POST", UPGRADE, body, query="dry_run=true")
    assert answer.status == 200, answer.body
    return answer


def errors(edge: Edge, body: object = None) -> list[str]:
    """The checks that refuse a request, as a dry run tells them."""
    return [each["check"] for each in preview(edge, body).body["findings"] if each["level"] == "error"]


def test_the_next_version_is_previewed_and_begun_as_it_was_confirmed(edge: Edge, eks: ElasticKubernetes) -> None:
    seen = preview(edge).body
    assert [each["name"] for each in seen["preview"]["changes"]] == [
        "eks-cluster-t1",
        "coredns",
        "dependencies",
        "gpu",
    ]
    assert "through the stack instantstart-t1" in seen["preview"]["changes"][0]["reason"]

    unconfirmed = edge.send("POST", UPGRADE)
    assert (unconfirmed.status, unconfirmed.body["code"]) == (409, "confirmation_required")
    begun = edge.send("POST", UPGRADE, query=f"confirm={seen['preview']['digest']}")
    assert begun.status == 202, begun.body
    assert begun.body["request"]["kubernetes_version"] == "1.34"
    assert begun.body["request"]["addon_versions"] == {"coredns": "v1.12.4-eksbuild.1"}
    assert [name for _, name in stages_of(begun.body["operation_id"])] == [
        "upgrade_preflight",
        "control_plane",
        "addon:coredns",
        "helm_release:dependencies",
        "node_images",
        "cluster_version",
        "verify",
    ]
    assert edge.send("GET", "/api/clusters/t1").body["spec"]["kubernetes_version"] == "1.33"


def test_a_confirmed_upgrade_is_refused_when_the_cluster_has_moved_since(edge: Edge, eks: ElasticKubernetes) -> None:
    digest = preview(edge, {"kubernetes_version": "1.34"}).body["preview"]["digest"]
    eks.addon = "v1.12.0-eksbuild.1"
    answer = edge.send("POST", UPGRADE, {"kubernetes_version": "1.34"}, query=f"confirm={digest}")
    assert (answer.status, answer.body["code"]) == (409, "preview_outdated")


def test_a_version_that_cannot_follow_is_refused_with_what_can(edge: Edge, eks: ElasticKubernetes) -> None:
    for present, asked, allowed in (
        ("1.32", "1.34", ["1.32", "1.33"]),
        ("1.33", "1.32", ["1.33", "1.34"]),
        ("1.34", "1.35", ["1.34"]),
        ("1.33", "1.40", ["1.33", "1.34"]),
    ):
        eks.version = present
        answer = edge.send("POST", UPGRADE, {"kubernetes_version": asked})
        assert (answer.status, answer.body["code"]) == (400, "invalid_request")
        [error] = answer.body["errors"]
        assert (error["field"], error["allowed"]) == ("kubernetes_version", allowed)
        assert errors(edge, {"kubernetes_version": asked}) == ["upgrade_version"]


def test_an_insight_of_eks_in_error_refuses_and_its_warning_is_told(edge: Edge, eks: ElasticKubernetes) -> None:
    for name in ("Deprecated APIs removed in Kubernetes v1.34", "Kubelet version skew"):
        eks.insights = [(name, "ERROR", "it would break")]
        answer = edge.send("POST", UPGRADE)
        assert (answer.status, answer.body["code"]) == (409, "precondition_failed")
        assert name in answer.body["detail"] and answer.body["remedy"] == "Do it."
        eks.insights = [(name, "WARNING", "it may break")]
        assert errors(edge) == []
        assert "upgrade_insight" in [each["check"] for each in preview(edge).body["findings"]]


def test_insights_that_cannot_be_read_are_unchecked_and_left_to_the_first_stage(
    edge: Edge, eks: ElasticKubernetes
) -> None:
    edge.surroundings.failing["ListInsights"] = EndpointConnectionError(endpoint_url="https://eks")
    told = [each for each in preview(edge).body["findings"] if each["check"] == "upgrade_insight"]
    assert [(each["level"], each["message"].split(":")[0]) for each in told] == [("warning", "unchecked")]


def test_a_cluster_that_is_being_changed_is_not_upgraded(edge: Edge, eks: ElasticKubernetes) -> None:
    eks.status, eks.updating_to = "UPDATING", "1.35"
    assert errors(edge) == ["upgrade_status"]
    eks.updating_to = "1.34"
    assert errors(edge) == []
    eks.status = "ACTIVE"
    edge.surroundings.clusters["hp-cluster-t1"] = [group(Status="SystemUpdating")]
    answer = edge.send("POST", UPGRADE)
    assert (answer.status, answer.body["code"]) == (409, "precondition_failed")
    eks.status = "CREATING"
    assert edge.send("POST", UPGRADE).body["code"] == "precondition_failed"


def test_an_add_on_without_a_version_for_the_target_refuses(edge: Edge, eks: ElasticKubernetes) -> None:
    eks.offered_addons = {}
    assert errors(edge) == ["upgrade_addon"]


@pytest.mark.parametrize("call", ["ListAddons", "DescribeAddonVersions"])
def test_add_ons_that_may_not_be_read_are_no_matter_of_waiting(edge: Edge, eks: ElasticKubernetes, call: str) -> None:
    edge.surroundings.failing[call] = ClientError({"Error": {"Code": "AccessDeniedException", "Message": "no"}}, call)
    answer = edge.send("POST", UPGRADE)
    assert (answer.status, answer.body["code"], answer.body["retryable"]) == (500, "deployment_fault", False)
    assert f"{call} with AccessDeniedException" in answer.body["detail"]
    assert "role" in answer.body["remedy"] and "moment" not in answer.body["remedy"]
    edge.surroundings.failing[call] = EndpointConnectionError(endpoint_url="https://eks")
    answer = edge.send("POST", UPGRADE)
    assert (answer.status, answer.body["code"], answer.body["retryable"]) == (503, "unavailable", True)


def test_a_cluster_at_its_target_is_refused_and_a_newer_image_or_add_on_is_not(
    edge: Edge, eks: ElasticKubernetes
) -> None:
    eks.version, eks.addon = "1.34", "v1.12.4-eksbuild.1"
    answer = edge.send("POST", UPGRADE, {"kubernetes_version": "1.34"})
    assert (answer.status, answer.body["code"]) == (409, "already_exists")
    assert errors(edge) == ["upgrade_nothing_to_do"]
    edge.surroundings.clusters["hp-cluster-t1"] = [group(ImageVersionStatus="UpdateAvailable")]
    assert errors(edge) == []
    edge.surroundings.clusters["hp-cluster-t1"] = [group()]
    eks.addon = "v1.11.4-eksbuild.2"
    assert errors(edge) == []


def test_groups_with_an_image_of_ones_own_are_named_and_left_alone(edge: Edge, eks: ElasticKubernetes) -> None:
    own = {"InstanceGroupName": "own", "Status": "InService", "CurrentCount": 1}
    own["CurrentImageId"] = "ami-0123456789abcdef0"
    edge.surroundings.clusters["hp-cluster-t1"] = [group(), own]
    seen = preview(edge).body
    actions = {each["name"]: each["action"] for each in seen["preview"]["changes"]}
    assert (actions["gpu"], actions["own"]) == ("change", "keep")
    assert "upgrade_custom_image" in [each["check"] for each in seen["findings"]]


def test_a_cluster_without_a_foundation_is_not_upgraded(edge: Edge) -> None:
    standing(edge, "t1")
    missing = {"Error": {"Code": "ResourceNotFoundException", "Message": "No cluster found"}}
    edge.surroundings.answer(edge.account, "eks.DescribeCluster", lambda _: missing)
    versions = {"clusterVersions": [{"clusterVersion": "1.34"}]}
    edge.surroundings.answer(edge.account, "eks.DescribeClusterVersions", lambda _: versions)
    answer = edge.send("POST", UPGRADE)
    assert (answer.status, answer.body["code"]) == (409, "precondition_failed")


@pytest.mark.parametrize("ready", ["Unknown", "False"])
def test_nodes_that_nobody_tells_of_are_planned_for_whatever_is_on_record(
    edge: Edge, eks: ElasticKubernetes, ready: str
) -> None:
    set_condition("t1", "HyperPodReady", ready)
    edge.surroundings.failing["sagemaker.DescribeCluster"] = EndpointConnectionError(endpoint_url="https://sagemaker")
    begun = edge.send("POST", UPGRADE, query=f"confirm={preview(edge).body['preview']['digest']}")
    assert begun.status == 202, begun.body
    assert ("nodes", "node_images") in stages_of(begun.body["operation_id"])


def test_a_cluster_that_has_no_hyperpod_cluster_has_no_nodes_to_plan_for(edge: Edge, eks: ElasticKubernetes) -> None:
    edge.surroundings.clusters.clear()
    begun = edge.send("POST", UPGRADE, query=f"confirm={preview(edge).body['preview']['digest']}")
    assert begun.status == 202, begun.body
    assert ("nodes", "node_images") not in stages_of(begun.body["operation_id"])


def test_a_preview_costs_as_many_calls_for_a_large_fleet_as_for_a_small_one(edge: Edge, eks: ElasticKubernetes) -> None:
    few = edge.counting("POST", UPGRADE, query="dry_run=true")
    edge.surroundings.clusters["hp-cluster-t1"] = [
        group(InstanceGroupName=f"g{number}", CurrentCount=500) for number in range(100)
    ]
    assert edge.counting("POST", UPGRADE, query="dry_run=true") == few


def test_a_malformed_request_is_refused_at_its_field(edge: Edge, eks: ElasticKubernetes) -> None:
    for body, fault in (
        ({"kubernetes_version": "latest"}, "kubernetes_version"),
        ({"rollout": {"batch_size": 1, "batch_percentage": 5}}, "rollout"),
        ({"rollout": {"batch_percentage": 0}}, "rollout.batch_percentage"),
        ({"addon_conflicts": "maybe"}, "addon_conflicts"),
        ({"force": True}, "force"),
    ):
        answer = edge.send("POST", UPGRADE, body)
        assert (answer.status, answer.fields) == (400, [fault])


def test_only_operators_upgrade(edge: Edge, eks: ElasticKubernetes) -> None:
    assert edge.send("POST", UPGRADE, scopes=["read"]).status == 403
    assert edge.send("POST", "/api/clusters/none/upgrade").status == 404
