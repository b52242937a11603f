"""The patch formats as functions over documents."""

from __future__ import annotations

import pytest

from infra.local.kubernetes.documents import JsonObject
from infra.local.kubernetes.fieldsets import fields_of, from_fields_v1, to_fields_v1
from infra.local.kubernetes.patch import PatchRejected, json_patch, merge_patch
from infra.local.kubernetes.strategic import strategic_merge


def _container(name: str, **fields: object) -> JsonObject:
    return {"name": name, **fields}


def test_a_merge_patch_merges_mappings_replaces_lists_and_removes_nulls() -> None:
    current: JsonObject = {"a": {"b": 1, "c": 2}, "list": [1, 2], "gone": True}
    patch: JsonObject = {"a": {"c": None, "d": {"e": 3}}, "list": [3], "gone": None}
    assert merge_patch(current, patch) == {"a": {"b": 1, "d": {"e": 3}}, "list": [3]}
    assert current == {"a": {"b": 1, "c": 2}, "list": [1, 2], "gone": True}


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ({"op": "add", "path": "/list/-", "value": 3}, {"list": [1, 2, 3], "a/b": {"c": 1}}),
        ({"op": "add", "path": "/list/0", "value": 0}, {"list": [0, 1, 2], "a/b": {"c": 1}}),
        ({"op": "remove", "path": "/list/1"}, {"list": [1], "a/b": {"c": 1}}),
        ({"op": "replace", "path": "/a~1b/c", "value": 5}, {"list": [1, 2], "a/b": {"c": 5}}),
        ({"op": "move", "from": "/a~1b/c", "path": "/c"}, {"list": [1, 2], "a/b": {}, "c": 1}),
        ({"op": "copy", "from": "/list", "path": "/copy"}, {"list": [1, 2], "a/b": {"c": 1}, "copy": [1, 2]}),
        ({"op": "test", "path": "/list/0", "value": 1}, {"list": [1, 2], "a/b": {"c": 1}}),
    ],
)
def test_each_json_patch_operation(operation: JsonObject, expected: JsonObject) -> None:
    assert json_patch({"list": [1, 2], "a/b": {"c": 1}}, [operation]) == expected


@pytest.mark.parametrize("path", ["/missing/deep", "/list/9", "/list/x", "no-slash", "/list/0/deep"])
def test_a_json_patch_of_a_missing_place_is_rejected(path: str) -> None:
    with pytest.raises(PatchRejected):
        json_patch({"list": [1]}, [{"op": "replace", "path": path, "value": 1}])


def test_strategic_lists_merge_by_their_key_and_keep_their_order() -> None:
    current: JsonObject = {"containers": [_container("a", image="1", env=[{"name": "X", "value": "1"}])]}
    patch: JsonObject = {"containers": [_container("b"), _container("a", env=[{"name": "Y", "value": "2"}])]}
    merged_env = [{"name": "X", "value": "1"}, {"name": "Y", "value": "2"}]
    assert strategic_merge(current, patch) == {
        "containers": [_container("a", image="1", env=merged_env), _container("b")]
    }


def test_strategic_directives_delete_replace_retain_and_order() -> None:
    current: JsonObject = {
        "containers": [_container("a"), _container("b"), _container("c")],
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}},
        "volumes": [_container("old")],
        "finalizers": ["one", "two"],
    }
    patch: JsonObject = {
        "$setElementOrder/containers": [_container("c"), _container("a")],
        "containers": [_container("b", **{"$patch": "delete"})],
        "strategy": {"$retainKeys": ["type"], "type": "Recreate"},
        "volumes": [{"$patch": "replace"}, _container("new")],
        "$deleteFromPrimitiveList/finalizers": ["one"],
    }
    assert strategic_merge(current, patch) == {
        "containers": [_container("c"), _container("a")],
        "strategy": {"type": "Recreate"},
        "volumes": [_container("new")],
        "finalizers": ["two"],
    }


def test_ports_differ_by_protocol_and_atomic_lists_are_replaced() -> None:
    current: JsonObject = {"ports": [{"containerPort": 53}], "args": ["a"], "tolerations": [{"key": "x"}]}
    patch: JsonObject = {
        "ports": [{"containerPort": 53, "protocol": "UDP"}],
        "args": ["b"],
        "tolerations": [{"key": "y"}],
    }
    assert strategic_merge(current, patch) == {
        "ports": [{"containerPort": 53}, {"containerPort": 53, "protocol": "UDP"}],
        "args": ["b"],
        "tolerations": [{"key": "y"}],
    }


def test_lists_of_custom_resources_are_replaced_as_a_whole() -> None:
    current: JsonObject = {"containers": [_container("a")]}
    assert strategic_merge(current, {"containers": [_container("b")]}, custom=True) == {"containers": [_container("b")]}


def test_a_field_set_names_leaves_and_keyed_items() -> None:
    pod = {"containers": [_container("a", image="1")], "nodeName": "n", "tolerations": [{"key": "x"}]}
    fields = fields_of({"$ref": "V1PodSpec"}, pod)
    written = to_fields_v1(fields)
    assert written == {
        "f:containers": {'k:{"name":"a"}': {".": {}, "f:image": {}, "f:name": {}}},
        "f:nodeName": {},
        "f:tolerations": {},
    }
    assert from_fields_v1(written) == fields
