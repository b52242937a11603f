"""What shows that software runs on a cluster of others, and who says to manage it."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from functions.clusters.importing.models.found import Component
from functions.clusters.importing.rules.operators import (
    EVIDENCED,
    OPERATORS,
    evidenced_operator,
    operator_of,
    self_managed,
)
from functions.features.presence.rules import Present

Object = dict[str, JsonValue]


def workload(image: str = "repo/a:v1", ready: int = 1, labels: dict[str, JsonValue] | None = None) -> Object:
    """A Deployment of one replica, or a DaemonSet."""
    return {
        "metadata": {"name": "a", "namespace": "theirs", "labels": labels or {}},
        "spec": {"replicas": 1, "template": {"spec": {"containers": [{"name": "a", "image": image}]}}},
        "status": {"readyReplicas": ready},
    }


def judged(controllers: tuple[Object, ...], *, defined: bool = True) -> Component:
    return operator_of("kuberay", OPERATORS["kuberay"], controllers, defined)


def test_an_operator_is_there_when_its_controller_is() -> None:
    helm: dict[str, JsonValue] = {"app.kubernetes.io/managed-by": "Helm", "app.kubernetes.io/version": "1.6.1"}
    found = judged((workload(labels=helm),))
    assert (found.presence, found.namespace, found.version, found.status, found.managed_by, found.message) == (
        "present",
        "theirs",
        "1.6.1",
        "ready",
        "Helm",
        None,
    )
    plain = judged((workload(ready=0),), defined=False)
    assert (plain.managed_by, plain.status) == ("manifests", "0/1 ready")
    assert plain.message is not None
    assert "rayclusters.ray.io" in plain.message


def test_a_definition_that_an_uninstallation_left_behind_is_no_operator() -> None:
    assert judged((), defined=False).message is None
    left = judged(())
    assert left.presence == "absent"
    assert left.message is not None


def test_software_with_evidence_is_judged_by_all_its_parts() -> None:
    evidence = EVIDENCED["cert-manager"]
    assert evidenced_operator("cert-manager", evidence, Present((), frozenset(), frozenset())).presence == "absent"
    whole = Present((workload(),), frozenset(evidence.definitions), frozenset({evidence.webhook}))
    assert evidenced_operator("cert-manager", evidence, whole).message is None
    partial = evidenced_operator("cert-manager", evidence, Present((workload(),), frozenset(), frozenset()))
    assert (partial.presence, partial.managed_by) == ("present", "manifests")
    assert partial.message is not None


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("123456789012.dkr.ecr.us-west-2.amazonaws.com/amazon-k8s-cni:v1.19.2-eksbuild.1", "v1.19.2-eksbuild.1"),
        ("registry:5000/amazon-k8s-cni:v1.18.3@sha256:abc", "v1.18.3"),
        ("amazon-k8s-cni@sha256:abc", None),
        ("registry:5000/amazon-k8s-cni", None),
    ],
)
def test_the_version_of_what_eks_did_not_install_is_read_from_its_image(image: str, version: str | None) -> None:
    found = self_managed("vpc-cni", workload(image))
    assert (found.kind, found.presence, found.version, found.managed_by) == ("addon", "present", version, "manifests")
