"""When software that an add-on would install counts as there already."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from functions.features.presence.rules import Copy, Evidence, Present, external_copy, webhooks_of
from functions.features.rules import ADDONS

EVIDENCE = Evidence(definitions=("a.x.io", "b.x.io"), controller="app=x", webhook="webhook.x.io")
DEFINED, HOOKED = frozenset({"a.x.io", "b.x.io"}), frozenset({"webhook.x.io"})

Object = dict[str, JsonValue]


def controller(manager: str = "kubectl-client-side-apply", **labels: JsonValue) -> Object:
    fields: JsonValue = [{"manager": manager, "operation": "Apply"}, {"manager": "kube-controller-manager"}]
    return {"metadata": {"name": "x", "namespace": "n", "labels": labels, "managedFields": fields}}


@pytest.mark.case(36)
@pytest.mark.parametrize(
    ("present", "copy"),
    [
        (Present((), frozenset(), frozenset()), None),
        (Present((), DEFINED, HOOKED), None),
        (Present((controller("eks"),), DEFINED, HOOKED), None),
        (Present((controller(),), DEFINED, HOOKED), Copy("n", "x", "manifests", ())),
        (
            Present((controller(**{"app.kubernetes.io/managed-by": "Helm"}),), DEFINED, HOOKED),
            Copy("n", "x", "Helm", ()),
        ),
        (Present((controller("eks"), controller()), DEFINED, HOOKED), Copy("n", "x", "manifests", ())),
        (Present((controller(),), DEFINED - {"b.x.io"}, HOOKED), Copy("n", "x", "manifests", ("b.x.io",))),
        (Present((controller(),), DEFINED, frozenset()), Copy("n", "x", "manifests", ("webhook.x.io",))),
    ],
)
def test_the_controller_decides_and_its_missing_parts_are_named(present: Present, copy: Copy | None) -> None:
    assert external_copy(EVIDENCE, present) == copy


def test_webhooks_are_named_over_all_configurations() -> None:
    first: Object = {"webhooks": [{"name": "a"}, {"name": "b"}]}
    assert webhooks_of([first, {"webhooks": [{"name": "c"}]}, {}]) == {"a", "b", "c"}


@pytest.mark.case(36)
def test_cert_manager_is_known_by_its_controller_definitions_and_webhook() -> None:
    evidence = ADDONS["cert-manager"].evidence
    assert evidence is not None
    assert evidence.controller == "app.kubernetes.io/name=cert-manager"
    assert all(name.endswith(".cert-manager.io") for name in (*evidence.definitions, evidence.webhook))
