"""Rules of CustomResourceDefinitions: names, versions and structural schemas."""

from __future__ import annotations

import re
from collections.abc import Iterator

from infra.local.kubernetes.documents import JsonObject, mapping, objects, strings, text, value_at
from infra.local.kubernetes.errors import Cause
from infra.local.kubernetes.names import broken_dns_1035_rules, broken_subdomain_rules
from infra.local.kubernetes.rules.causes import forbidden, invalid, repeated, required, unchanged, unsupported
from infra.local.kubernetes.schema import EMBEDDED, INT_OR_STRING, PRESERVE

_ROOT_ONLY_OBJECT = "must be object"
_NOT_STRUCTURAL = ("type", "default", "additionalProperties", "nullable", "description", "title", PRESERVE, EMBEDDED)
_SCOPES = ("Cluster", "Namespaced")


def definition_rules(document: JsonObject, before: JsonObject | None) -> Iterator[Cause]:
    """What a definition must be; its group, names and scope never change."""
    spec = mapping(document, "spec")
    yield from _names(spec)
    versions = objects(spec, "versions")
    stored = [version for version in versions if version.get("storage")]
    if len(stored) != 1:
        yield invalid("spec.versions", len(versions), "must have exactly one version marked as storage version")
    yield from repeated("spec.versions", [(f"[{index}].name", v.get("name")) for index, v in enumerate(versions)])
    for index, version in enumerate(versions):
        yield from _version(f"spec.versions[{index}]", version)
    if before is not None:
        for path in (("group",), ("scope",), ("names", "plural"), ("names", "kind")):
            yield from unchanged(".".join(("spec", *path)), before, document, "spec", *path)
        kept = {version.get("name") for version in versions}
        for stored_version in strings(before, "status", "storedVersions"):
            if stored_version not in kept:
                yield invalid("status.storedVersions[0]", stored_version, "missing from spec.versions")


def _names(spec: JsonObject) -> Iterator[Cause]:
    group, names = text(spec, "group"), mapping(spec, "names")
    if group:
        for rule in broken_subdomain_rules(group):
            yield invalid("spec.group", group, rule)
        if "." not in group:
            yield invalid("spec.group", group, "should be a domain with at least one dot")
    for field, written in (("plural", text(names, "plural")), ("kind", text(names, "kind").lower())):
        for rule in broken_dns_1035_rules(written) if written else ():
            yield invalid(f"spec.names.{field}", written, rule)
    if spec.get("scope") not in _SCOPES:
        yield unsupported("spec.scope", text(spec, "scope"), _SCOPES)


def _version(path: str, version: JsonObject) -> Iterator[Cause]:
    name = text(version, "name")
    for rule in broken_dns_1035_rules(name) if name else ():
        yield invalid(f"{path}.name", name, rule)
    schema = value_at(version, "schema", "openAPIV3Schema")
    at = f"{path}.schema.openAPIV3Schema"
    if not isinstance(schema, dict):
        yield required(at, "schemas are required")
        return
    if schema.get("type") != "object":
        yield required(f"{at}.type", "must not be empty at the root") if not schema.get("type") else invalid(
            f"{at}.type", schema["type"], _ROOT_ONLY_OBJECT
        )  # fmt: skip
    yield from _structural(at, schema)
    if "scale" in mapping(version, "subresources"):
        yield from _scale(f"{path}.subresources.scale", mapping(version, "subresources", "scale"))


def _scale(path: str, scale: JsonObject) -> Iterator[Cause]:
    for field, prefix in (("specReplicasPath", ".spec."), ("statusReplicasPath", ".status.")):
        written = text(scale, field)
        if not written:
            yield required(f"{path}.{field}")
        elif not written.startswith(prefix):
            yield invalid(f"{path}.{field}", written, f"should be a json path under {prefix[:-1]}")


def _structural(path: str, schema: JsonObject) -> Iterator[Cause]:
    if not schema.get("type") and not schema.get(INT_OR_STRING) and not schema.get(PRESERVE):
        yield required(f"{path}.type", "must not be empty for specified object fields")
    yield from _one_schema(path, schema)
    for key, inner in mapping(schema, "properties").items():
        if isinstance(inner, dict):
            yield from _structural(f"{path}.properties[{key}]", inner)
    for key in ("items", "additionalProperties"):
        inner = schema.get(key)
        if isinstance(inner, dict):
            yield from _structural(f"{path}.{key}", inner)


def _one_schema(path: str, schema: JsonObject) -> Iterator[Cause]:
    if schema.get("type") == "array" and not isinstance(schema.get("items"), dict):
        yield required(f"{path}.items", "must be specified")
    if "$ref" in schema:
        yield forbidden(f"{path}.$ref", "$ref is not supported")
    if schema.get("uniqueItems") is True:
        why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        yield forbidden(f"{path}.uniqueItems", why)
    if "properties" in schema and schema.get("additionalProperties"):
        yield forbidden(f"{path}.additionalProperties", "additionalProperties and properties are mutual exclusive")
    yield from _pattern(path, schema)
    for key in ("allOf", "anyOf", "oneOf"):
        for index, option in enumerate(objects(schema, key)):
            yield from _value_validation(f"{path}.{key}[{index}]", option, bool(schema.get(INT_OR_STRING)))


def _pattern(path: str, schema: JsonObject) -> Iterator[Cause]:
    pattern = schema.get("pattern")
    if isinstance(pattern, str):
        try:
            re.compile(pattern)
        except re.error as error:
            yield invalid(f"{path}.pattern", pattern, f"must be a valid regular expression, but isn't: {error}")


def _value_validation(path: str, schema: JsonObject, int_or_string: bool) -> Iterator[Cause]:
    for key in _NOT_STRUCTURAL:
        if key in schema and not (key == "type" and int_or_string):
            yield forbidden(f"{path}.{key}", "must be empty to be structural")
