"""What the API checks and completes in every object that a client writes, in the order of the API server."""

from __future__ import annotations

from collections.abc import Iterator

from infra.local.kubernetes.call import Call
from infra.local.kubernetes.defaults import apply_defaults
from infra.local.kubernetes.documents import JsonObject, mapping, name_of, strings, text
from infra.local.kubernetes.errors import BadRequest, Cause, Invalid
from infra.local.kubernetes.formats import is_base64
from infra.local.kubernetes.metadata import is_deleting
from infra.local.kubernetes.names import definition_causes, metadata_causes, name_causes
from infra.local.kubernetes.pruning import drop_nulls, fill_defaults, prune
from infra.local.kubernetes.quantities import is_quantity
from infra.local.kubernetes.references import require_references
from infra.local.kubernetes.resources import Resource
from infra.local.kubernetes.rules import by_kind
from infra.local.kubernetes.rules.services import keep_allocations
from infra.local.kubernetes.schema import custom_schema, schema_of
from infra.local.kubernetes.structural import broken_rules, leaves, wrong_type

_QUANTITY_RULE = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
_GO_TYPES = {"integer": "int32", "boolean": "bool", "number": "float64"}
_JSON_NAMES = {"integer": "number", "boolean": "bool"}
_METADATA_ONLY: JsonObject = {"type": "object", "properties": {"metadata": {"$ref": "V1ObjectMeta"}}}


def admit(call: Call, document: JsonObject, before: JsonObject | None) -> None:
    """Prune, complete and check a document in place, given what it was before.

    Raises BadRequest for what cannot be decoded or is unknown under strict validation, Invalid for broken rules,
    Forbidden for what an admission plugin refuses.
    """
    _require_known_fields(call, document)
    resource = call.resource
    _require_decodable(resource, document)
    drop_nulls(schema_of(resource), document)
    complete(call, document, before)
    causes = list(_causes(call, document, before))
    if causes:
        raise Invalid(resource.kind, name_of(document), resource.group, causes)
    require_references(call, document, before)


def complete(call: Call, document: JsonObject, before: JsonObject | None = None) -> None:
    """Fill in what the server defaults, in place."""
    resource = call.resource
    if resource.custom:
        fill_defaults(custom_schema(resource), document)
        return
    keep_allocations(resource, document, before)
    apply_defaults(resource, document, call.store.next_revision())


def _require_known_fields(call: Call, document: JsonObject) -> None:
    mode = call.field_validation
    found = [f'duplicate field "{path}"' for path in call.duplicates()] if mode != "Ignore" else []
    found += [f'unknown field "{path}"' for path in prune(schema_of(call.resource), document)]
    if found and mode == "Strict":
        raise BadRequest(f"{_unreadable(call.resource)}: strict decoding error: {', '.join(found)}")
    if mode == "Warn":
        call.warnings.extend(found)


def _unreadable(resource: Resource) -> str:
    return f'{resource.kind} in version "{resource.version}" cannot be handled as a {resource.kind}'


def _require_decodable(resource: Resource, document: JsonObject) -> None:
    schema = _METADATA_ONLY if resource.custom else schema_of(resource)
    wrong = wrong_type(schema, document)
    if wrong is not None:
        path, found, wanted = wrong
        field = f"Go struct field {resource.kind}.{path} of type {_GO_TYPES.get(wanted, wanted)}"
        why = f"json: cannot unmarshal {_JSON_NAMES.get(found, found)} into {field}"
        raise BadRequest(f"{_unreadable(resource)}: {why}")
    for known, value, _ in leaves(schema, document):
        if known.get("format") == "quantity" and not is_quantity(value):
            raise BadRequest(f"{_unreadable(resource)}: {_QUANTITY_RULE}")
        if known.get("format") == "byte" and isinstance(value, str) and not is_base64(value):
            raise BadRequest(f"{_unreadable(resource)}: illegal base64 data at input byte 0")


def _causes(call: Call, document: JsonObject, before: JsonObject | None) -> Iterator[Cause]:
    resource = call.resource
    if name_of(document) or not text(document, "metadata", "generateName"):
        yield from name_causes(resource, name_of(document))
    yield from definition_causes(resource, document)
    yield from metadata_causes(document)
    yield from _new_finalizers(document, before)
    if resource.custom:
        yield from broken_rules(schema_of(resource), {key: document[key] for key in document if key != "metadata"})
    elif call.target.subresource != "status":
        yield from by_kind.broken_rules(resource, document, before)


def _new_finalizers(document: JsonObject, before: JsonObject | None) -> Iterator[Cause]:
    if before is None or not is_deleting(before):
        return
    added = [
        f for f in strings(document, "metadata", "finalizers") if f not in strings(before, "metadata", "finalizers")
    ]
    if added:
        listed = ", ".join(f'"{finalizer}"' for finalizer in added)
        why = (
            f"no new finalizers can be added if the object is being deleted, found new finalizers []string{{{listed}}}"
        )
        yield Cause("FieldValueForbidden", "metadata.finalizers", f"Forbidden: {why}")


def require_version(resource: Resource, document: JsonObject) -> None:
    """Check that a replacement names the version it replaces, where that is not optional.

    Raises Invalid when it does not.
    """
    if resource.custom and not text(mapping(document, "metadata"), "resourceVersion"):
        rule = "Invalid value: 0: must be specified for an update"
        cause = Cause("FieldValueInvalid", "metadata.resourceVersion", rule)
        raise Invalid(resource.kind, name_of(document), resource.group, [cause])
