"""Every invalid object is refused with the right status, reason and field."""

from __future__ import annotations

import pytest

from infra.local.kubernetes.documents import JsonObject, objects, text
from tests.conformance.contract.api import samples as valid
from tests.conformance.contract.api.driver import Cluster, Space
from tests.conformance.contract.api.invalid_objects import BUILT_IN, WIDGETS, Bad


def _address(space: Space, written: str) -> str:
    cluster_wide = written.startswith("cluster:")
    group, _, plural = written.removeprefix("cluster:").rpartition(":")
    if cluster_wide:
        return f"/apis/{group}/{plural}" if group else f"/api/v1/{plural}"
    return space.path(plural, group=group)


def _fields(status: JsonObject) -> list[str]:
    return [text(cause, "field") for cause in objects(status, "details", "causes")]


@pytest.mark.parametrize("bad", BUILT_IN, ids=[bad.rule for bad in BUILT_IN])
def test_an_object_of_a_built_in_kind_is_refused(shared_space: Space, bad: Bad) -> None:
    status = shared_space.cluster.refused("POST", _address(shared_space, bad.path), bad.document)
    assert (status["code"], status["reason"]) == (bad.code, bad.reason), status["message"]
    if bad.field:
        assert bad.field in _fields(status), status["message"]


@pytest.mark.parametrize(("rule", "spec", "field"), WIDGETS, ids=[rule for rule, _, _ in WIDGETS])
def test_a_custom_resource_is_refused(
    cluster: Cluster, shared_space: Space, widgets: str, rule: str, spec: JsonObject, field: str
) -> None:
    document = {**valid.widget(widgets), "spec": {"size": 1, **spec}}
    path = shared_space.path("widgets", group=f"{widgets}/v1")
    status = cluster.refused("POST", path, document)
    assert (status["code"], status["reason"]) == (422, "Invalid"), status["message"]
    assert field in _fields(status), status["message"]
