"""Namespaces as callers ask for them: which names are taken, which labels mean something."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from functions.identity.namespaces.manifests import namespace, view
from functions.identity.namespaces.models import LABELS_LIMIT, CreateNamespace

ENFORCE = "pod-security.kubernetes.io/enforce"


@pytest.mark.parametrize("name", ["kube-system", "kube-x", "default", "Team", "a.b", "-a", "", "a" * 64])
def test_names_that_are_reserved_or_no_names_are_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        CreateNamespace.model_validate({"name": name})


@pytest.mark.parametrize(
    "labels",
    [
        {},
        {"team": "research", "example.com/cost-center": "42"},
        {ENFORCE: "restricted", f"{ENFORCE}-version": "v1.34", "pod-security.kubernetes.io/warn-version": "latest"},
    ],
)
def test_labels_of_ones_own_and_those_of_pod_security_are_taken(labels: dict[str, str]) -> None:
    assert CreateNamespace.model_validate({"name": "kubernetes", "labels": labels}).labels == labels


@pytest.mark.parametrize(
    "labels",
    [
        pytest.param({ENFORCE: "lax"}, id="no level"),
        pytest.param({f"{ENFORCE}-version": "1.34"}, id="no version"),
        pytest.param({"pod-security.kubernetes.io/deny": "baseline"}, id="no mode"),
        pytest.param({"kubernetes.io/metadata.name": "x"}, id="Kubernetes' own"),
        pytest.param({"instantstart/cluster": "other"}, id="ours"),
        pytest.param({"app.kubernetes.io/managed-by": "helm"}, id="who manages it"),
        pytest.param({"team": "a b"}, id="no value"),
        pytest.param({"": "x"}, id="no key"),
        pytest.param({f"label-{number}": "x" for number in range(LABELS_LIMIT + 1)}, id="too many"),
    ],
)
def test_labels_that_mean_something_to_others_or_are_none_are_refused(labels: dict[str, str]) -> None:
    with pytest.raises(ValidationError) as refused:
        CreateNamespace.model_validate({"name": "research", "labels": labels})
    assert [error["loc"] for error in refused.value.errors()] == [("labels",)]


def test_our_own_labels_stand_beside_the_callers_and_say_whose_a_namespace_is() -> None:
    ours = {"app.kubernetes.io/managed-by": "instantstart", "instantstart/cluster": "t1"}
    made = namespace("research", {"team": "r"}, ours)
    assert made["metadata"] == {"name": "research", "labels": {"team": "r", **ours}}
    assert (view(made, "t1").ours, view(made, "t2").ours) == (True, False)
    assert view({"metadata": {"name": "x"}}, "t1").ours is False
