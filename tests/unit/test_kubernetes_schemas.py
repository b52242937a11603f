"""Schemas: where they come from, what they say of values, and how paths into objects are read."""

from __future__ import annotations

import pytest

from infra.local.kubernetes import resources as served
from infra.local.kubernetes.documents import JsonObject
from infra.local.kubernetes.duplicates import duplicate_fields
from infra.local.kubernetes.errors import BadRequest
from infra.local.kubernetes.field_labels import require_supported
from infra.local.kubernetes.formats import FORMATS
from infra.local.kubernetes.jsonpath import parse_path, values_at
from infra.local.kubernetes.pruning import drop_nulls, fill_defaults, prune
from infra.local.kubernetes.schema import model_name
from infra.local.kubernetes.structural import broken_rules

NODE: JsonObject = {
    "metadata": {"labels": {"a.b/c": "d"}},
    "status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "Disk", "status": "False"}]},
}
TEXTS: JsonObject = {"type": "object", "additionalProperties": {"type": "string"}}
EMBEDDED: JsonObject = {"type": "object", "x-kubernetes-embedded-resource": True}


def test_the_built_in_schemas_are_fresh() -> None:
    refresh = pytest.importorskip("infra.local.kubernetes.schemas.refresh", reason="the kubernetes package is missing")
    assert refresh.TARGET.read_text(encoding="utf-8") == refresh.render()


def test_every_built_in_kind_has_a_schema() -> None:
    assert [resource.kind for resource in served.BUILT_IN if not model_name(resource)] == []


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (".status.conditions[0].type", ["Ready"]),
        (".status.conditions[-1].type", ["Disk"]),
        (".status.conditions[*].type", ["Ready", "Disk"]),
        ('.status.conditions[?(@.type=="Disk")].status', ["False"]),
        (".metadata.labels['a.b/c']", ["d"]),
        (r".metadata.labels.a\.b/c", ["d"]),
        (".status.missing.deep", []),
        (".status.conditions[7].type", []),
    ],
)
def test_printer_columns_read_their_paths(path: str, found: list[str]) -> None:
    assert values_at(NODE, parse_path(path)) == found


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        (b'{"a": 1, "a": 2}', ["a"]),
        (b'{"spec": {"list": [{"x": 1}, {"x": 1, "x": 2}]}}', ["spec.list[1].x"]),
        (b'{"a": {"b": 1, "b": 2}, "c": {"d": 1, "d": 1}}', ["a.b", "c.d"]),
        (b'{"a": 1}', []),
        (b"a: 1", []),
    ],
)
def test_fields_that_stand_twice_are_found(body: bytes, paths: list[str]) -> None:
    assert duplicate_fields(body) == paths


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("byte", "YQ==", "*"),
        ("cidr", "10.0.0.0/8", "10.0.0.0/99"),
        ("date", "2030-01-31", "2030-02-31"),
        ("date-time", "2030-01-31T00:00:00Z", "2030-01-31"),
        ("duration", "1h30m", "soon"),
        ("email", "a@b.c", "a"),
        ("hostname", "a.example.com", "-a"),
        ("ipv4", "10.0.0.1", "::1"),
        ("ipv6", "::1", "10.0.0.1"),
        ("mac", "00:11:22:33:44:55", "00"),
        ("uri", "https://a", "a"),
        ("uuid", "01234567-89ab-cdef-0123-456789abcdef", "1"),
    ],
)
def test_a_format_tells_good_from_bad(name: str, good: str, bad: str) -> None:
    assert (FORMATS[name](good), FORMATS[name](bad)) == (True, False)


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": "object", "not": {"required": ["a"]}}, {"b": 1}, {"a": 1}),
        ({"type": "object", "allOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"a": 1, "b": 1}, {"a": 1}),
        ({"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"b": 1}, {"c": 1}),
        ({"type": "integer", "minimum": 1, "exclusiveMinimum": True}, 2, 1),
        ({"type": "number", "maximum": 1, "exclusiveMaximum": True}, 0.5, 1),
        (
            {**TEXTS, "maxProperties": 1},
            {"a": ""},
            {"a": "", "b": ""},
        ),
        ({**TEXTS, "minProperties": 1}, {"a": ""}, {}),
        (
            {"type": "object", "x-kubernetes-embedded-resource": True},
            {"apiVersion": "v1", "kind": "Pod"},
            {"kind": "Pod"},
        ),
        ({"type": "string", "nullable": True}, None, 1),
        ({"type": "integer"}, 1.0, 1.5),
        ({"type": "boolean"}, True, "true"),
    ],
)
def test_a_schema_tells_good_from_bad(schema: JsonObject, good: object, bad: object) -> None:
    assert (any(broken_rules(schema, good, "x")), any(broken_rules(schema, bad, "x"))) == (False, True)


def test_embedded_resources_keep_their_metadata_when_pruned() -> None:
    schema: JsonObject = {**EMBEDDED, "properties": {"spec": {"type": "object"}}}
    document: JsonObject = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "x": 1}, "extra": 1}
    assert prune(schema, document) == ["metadata.x", "extra"]
    assert document == {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}


def test_defaults_reach_into_what_they_fill_in() -> None:
    inner = {"type": "object", "default": {}, "properties": {"n": {"type": "integer", "default": 3}}}
    schema: JsonObject = {"type": "object", "properties": {"a": inner, "b": {"type": "string", "nullable": True}}}
    document: JsonObject = {"a": None, "b": None}
    drop_nulls(schema, document)
    fill_defaults(schema, document)
    assert document == {"a": {"n": 3}, "b": None}


def test_only_known_fields_select() -> None:
    require_supported(served.PODS, "spec.nodeName=a,status.phase!=Failed,metadata.name==b")
    with pytest.raises(BadRequest, match=r"field label not supported: spec\.image"):
        require_supported(served.PODS, "spec.image=a")
