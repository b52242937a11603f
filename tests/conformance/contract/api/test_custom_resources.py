"""Definitions and the objects they make possible."""

from __future__ import annotations

import uuid

import pytest

from infra.local.kubernetes.documents import JsonObject, mapping, objects, text, value_at
from tests.conformance.contract.api import samples as valid
from tests.conformance.contract.api.driver import APPLY, MERGE, STRATEGIC, Cluster, Space, widget_definition

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def _path(space: Space, group: str, *rest: str, version: str = "v1") -> str:
    return space.path("widgets", *rest, group=f"{group}/{version}")


def test_a_definition_is_established(cluster: Cluster, widgets: str) -> None:
    definition = cluster.ask("GET", f"{DEFINITIONS}/widgets.{widgets}")
    conditions = {c["type"]: c["status"] for c in objects(definition, "status", "conditions")}
    assert (conditions["Established"], conditions["NamesAccepted"]) == ("True", "True")
    assert value_at(definition, "status", "storedVersions") == ["v1"]


def test_missing_fields_get_their_defaults(space: Space, widgets: str) -> None:
    created = space.cluster.ask("POST", _path(space, widgets), valid.widget(widgets, parts=[{"name": "a"}]))
    assert created["spec"] == {"size": 1, "color": "red", "replicas": 1, "parts": [{"name": "a", "weight": 1}]}


def test_unknown_fields_are_pruned(space: Space, widgets: str) -> None:
    created = space.cluster.ask(
        "POST", _path(space, widgets), valid.widget(widgets, unknown=1), fieldValidation="Ignore"
    )
    assert "unknown" not in mapping(created, "spec")


def test_preserved_fields_are_kept(space: Space, widgets: str) -> None:
    free = {"anything": {"goes": [1, "two"]}}
    assert (
        value_at(space.cluster.ask("POST", _path(space, widgets), valid.widget(widgets, free=free)), "spec", "free")
        == free
    )


def test_a_nullable_field_may_be_null(space: Space, widgets: str) -> None:
    created = space.cluster.ask("POST", _path(space, widgets), valid.widget(widgets, maybe=None))
    assert mapping(created, "spec")["maybe"] is None


def test_int_or_string_takes_both(space: Space, widgets: str) -> None:
    for name, port in (("a", 80), ("b", "http")):
        made = space.cluster.ask("POST", _path(space, widgets), valid.widget(widgets, name, port=port))
        assert value_at(made, "spec", "port") == port


def test_a_spec_is_not_written_through_the_status(space: Space, widgets: str) -> None:
    space.cluster.ask("POST", _path(space, widgets), valid.widget(widgets))
    both = {"spec": {"size": 5}, "status": {"phase": "Up"}}
    answer = space.cluster.ask("PATCH", _path(space, widgets, "w", "status"), both, MERGE)
    assert (value_at(answer, "spec", "size"), answer["status"]) == (1, {"phase": "Up"})


def test_a_status_is_not_written_through_the_object(space: Space, widgets: str) -> None:
    created = space.cluster.ask("POST", _path(space, widgets), {**valid.widget(widgets), "status": {"phase": "Up"}})
    assert "status" not in created


def test_the_generation_counts_spec_changes_only(space: Space, widgets: str) -> None:
    space.cluster.ask("POST", _path(space, widgets), valid.widget(widgets))
    path = _path(space, widgets, "w")
    labelled = space.cluster.ask("PATCH", path, {"metadata": {"labels": {"a": "b"}}}, MERGE)
    reported = space.cluster.ask("PATCH", f"{path}/status", {"status": {"phase": "Up"}}, MERGE)
    changed = space.cluster.ask("PATCH", path, {"spec": {"size": 2}}, MERGE)
    assert [value_at(a, "metadata", "generation") for a in (labelled, reported, changed)] == [1, 1, 2]


def test_a_custom_resource_has_a_scale(space: Space, widgets: str) -> None:
    space.cluster.ask("POST", _path(space, widgets), valid.widget(widgets, replicas=2))
    path = _path(space, widgets, "w", "scale")
    assert value_at(space.cluster.ask("GET", path), "spec", "replicas") == 2
    scaled = space.cluster.ask("PATCH", path, {"spec": {"replicas": 4}}, MERGE)
    assert (scaled["kind"], value_at(scaled, "spec", "replicas")) == ("Scale", 4)


def test_a_table_has_the_definitions_columns(space: Space, widgets: str) -> None:
    space.cluster.ask("POST", _path(space, widgets), valid.widget(widgets, parts=[{"name": "first"}]))
    response = space.cluster._client.rest_client.pool_manager.request(
        "GET", space.cluster._host + _path(space, widgets), headers=_table_headers(space.cluster)
    )
    table = mapping(response.json())
    assert [column["name"] for column in objects(table, "columnDefinitions")] == ["Name", "Size", "Part", "Since"]
    cells = objects(table, "rows")[0]["cells"]
    assert isinstance(cells, list)
    assert cells[:3] == ["w", 1, "first"]
    assert str(cells[3]).endswith("s")


def _table_headers(cluster: Cluster) -> dict[str, str]:
    settings = cluster._client.configuration.auth_settings()
    accept = "application/json;as=Table;v=v1;g=meta.k8s.io"
    return {"accept": accept, **{setting["key"]: setting["value"] for setting in settings.values()}}


def test_every_served_version_shows_the_same_object(space: Space, widgets: str) -> None:
    space.cluster.ask("POST", _path(space, widgets), valid.widget(widgets))
    older = space.cluster.ask("GET", _path(space, widgets, "w", version="v1beta1"))
    assert (older["apiVersion"], value_at(older, "spec", "size")) == (f"{widgets}/v1beta1", 1)


def test_a_strategic_patch_of_a_custom_resource_is_refused(space: Space, widgets: str) -> None:
    space.cluster.ask("POST", _path(space, widgets), valid.widget(widgets))
    status = space.cluster.refused("PATCH", _path(space, widgets, "w"), {"spec": {"size": 2}}, STRATEGIC)
    assert (status["code"], status["reason"]) == (415, "UnsupportedMediaType")


def test_a_replacement_must_name_the_version_it_replaces(space: Space, widgets: str) -> None:
    space.cluster.ask("POST", _path(space, widgets), valid.widget(widgets))
    status = space.cluster.refused("PUT", _path(space, widgets, "w"), valid.widget(widgets, size=2))
    assert status["code"] == 422
    assert "must be specified for an update" in text(status, "message")


def test_keyed_lists_of_a_schema_merge_when_applied(space: Space, widgets: str) -> None:
    def apply(manager: str, part: str) -> JsonObject:
        document = valid.widget(widgets, parts=[{"name": part}])
        return space.cluster.ask("PATCH", _path(space, widgets, "w"), document, APPLY, fieldManager=manager)

    apply("one", "a")
    assert [part["name"] for part in objects(apply("two", "b"), "spec", "parts")] == ["a", "b"]


def test_an_update_is_validated_too(space: Space, widgets: str) -> None:
    space.cluster.ask("POST", _path(space, widgets), valid.widget(widgets))
    status = space.cluster.refused("PATCH", _path(space, widgets, "w"), {"spec": {"size": 99}}, MERGE)
    assert "should be less than or equal to 9" in text(status, "message")


def _changed(group: str, **spec: object) -> JsonObject:
    definition = widget_definition(group)
    return {**definition, "spec": {**mapping(definition, "spec"), **spec}}


def _schema(schema: JsonObject) -> list[JsonObject]:
    return [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}]


UNUSED = f"u{uuid.uuid4().hex[:8]}.contract.example"
BAD_DEFINITIONS = {
    "is called after its plural and group": {**widget_definition(UNUSED), "metadata": {"name": f"other.{UNUSED}"}},
    "has a scope that is known": _changed(UNUSED, scope="World"),
    "stores one version": _changed(UNUSED, versions=[
        {**version, "storage": False} for version in objects(widget_definition(UNUSED), "spec", "versions")]),
    "has a schema": _changed(UNUSED, versions=[{"name": "v1", "served": True, "storage": True}]),
    "has an object at its root": _changed(UNUSED, versions=_schema({"type": "string"})),
    "types every field": _changed(UNUSED, versions=_schema({"type": "object", "properties": {"spec": {}}})),
    "gives its arrays items": _changed(UNUSED, versions=_schema(
        {"type": "object", "properties": {"a": {"type": "array"}}})),
    "takes no unique items": _changed(UNUSED, versions=_schema({"type": "object", "properties": {
        "a": {"type": "array", "uniqueItems": True, "items": {"type": "string"}}}})),
}  # fmt: skip


@pytest.mark.parametrize("rule", BAD_DEFINITIONS)
def test_a_definition(cluster: Cluster, rule: str) -> None:
    status = cluster.refused("POST", DEFINITIONS, BAD_DEFINITIONS[rule])
    assert (status["code"], status["reason"]) == (422, "Invalid"), status["message"]


def test_a_definition_that_goes_takes_its_objects(space: Space) -> None:
    group = f"t{uuid.uuid4().hex[:8]}.contract.example"
    space.cluster.ask("POST", DEFINITIONS, widget_definition(group))
    for _ in range(100):
        if space.cluster.call("POST", _path(space, group), valid.widget(group)).status == 201:
            break
    space.cluster.ask("DELETE", f"{DEFINITIONS}/widgets.{group}")
    for _ in range(100):
        if space.cluster.call("GET", _path(space, group)).status == 404:
            break
    assert space.cluster.call("GET", _path(space, group, "w")).status == 404
