"""Rules of volumes, claims and storage classes."""

from __future__ import annotations

from collections.abc import Iterator

from infra.local.kubernetes.documents import JsonObject, copy_of, mapping, strings, text, value_at
from infra.local.kubernetes.errors import Cause
from infra.local.kubernetes.rules.causes import forbidden, invalid, one_of, required, unchanged, unsupported
from infra.local.kubernetes.rules.quantity_rules import amount_at

_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_VOLUME_FIELDS = (
    "accessModes", "capacity", "claimRef", "mountOptions", "nodeAffinity", "persistentVolumeReclaimPolicy",
    "storageClassName", "volumeAttributesClassName", "volumeMode",
)  # fmt: skip
_CLAIM_RULE = (
    "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
)


def claim_rules(document: JsonObject, before: JsonObject | None) -> Iterator[Cause]:
    """What a claim must be; once created it may only ask for more, and only when bound."""
    yield from _modes(document)
    if value_at(document, "spec", "resources", "requests", "storage") is None:
        yield required("spec.resources[storage]")
    elif amount_at(document, "spec", "resources", "requests", "storage") <= 0:
        written = value_at(document, "spec", "resources", "requests", "storage")
        yield invalid("spec.resources[storage]", written, "must be greater than zero")
    yield from one_of("spec.volumeMode", value_at(document, "spec", "volumeMode"), ("Block", "Filesystem"))
    if before is not None:
        yield from _claim_changes(document, before)


def _claim_changes(document: JsonObject, before: JsonObject) -> Iterator[Cause]:
    bound = text(before, "status", "phase") == "Bound"
    if _fixed(document, bound) != _fixed(before, bound):
        yield forbidden("spec", _CLAIM_RULE)
        return
    path = ("spec", "resources", "requests", "storage")
    if amount_at(document, *path) < amount_at(before, *path):
        yield forbidden(".".join(path), "field can not be less than previous value")


def _fixed(claim: JsonObject, bound: bool) -> JsonObject:
    spec = copy_of(mapping(claim, "spec"))
    if bound:
        spec.pop("volumeAttributesClassName", None)
        mapping(spec, "resources").pop("requests", None)
    elif text(claim, "status", "phase") != "Lost":
        # A binder fills in the volume and its class of a pending claim, also through the API.
        spec.pop("volumeName", None)
        spec.pop("storageClassName", None)
    return spec


def volume_rules(document: JsonObject, before: JsonObject | None) -> Iterator[Cause]:
    """What a volume must be; its source never changes."""
    spec = mapping(document, "spec")
    yield from _modes(document)
    if not mapping(spec, "capacity"):
        yield required("spec.capacity")
    elif "storage" not in mapping(spec, "capacity"):
        yield unsupported("spec.capacity", list(mapping(spec, "capacity")), ("storage",))
    elif amount_at(spec, "capacity", "storage") <= 0:
        yield invalid("spec.capacity[storage]", value_at(spec, "capacity", "storage"), "must be greater than zero")
    sources = _sources(spec)
    if not sources:
        yield required("spec", "must specify a volume type")
    for extra in list(sources)[1:]:
        yield forbidden(f"spec.{extra}", "may not specify more than 1 volume type")
    policy = spec.get("persistentVolumeReclaimPolicy")
    yield from one_of("spec.persistentVolumeReclaimPolicy", policy, ("Delete", "Recycle", "Retain"))
    if before is not None and sources != _sources(mapping(before, "spec")):
        why = "spec.persistentvolumesource is immutable after creation"
        yield forbidden("spec.persistentvolumesource", why)


def _sources(spec: JsonObject) -> JsonObject:
    return {key: value for key, value in spec.items() if key not in _VOLUME_FIELDS and value is not None}


def _modes(document: JsonObject) -> Iterator[Cause]:
    modes = strings(document, "spec", "accessModes")
    if not modes:
        yield required("spec.accessModes", "at least 1 access mode is required")
    for mode in modes:
        if mode not in _MODES:
            yield unsupported("spec.accessModes", mode, _MODES)
    if "ReadWriteOncePod" in modes and len(modes) > 1:
        yield forbidden("spec.accessModes", "may not use ReadWriteOncePod with other access modes")


def storage_class_rules(document: JsonObject, before: JsonObject | None) -> Iterator[Cause]:
    """What a storage class must be; where it comes from never changes."""
    if not text(document, "provisioner"):
        yield required("provisioner")
    yield from one_of("reclaimPolicy", document.get("reclaimPolicy"), ("Delete", "Retain"))
    mode = document.get("volumeBindingMode")
    yield from one_of("volumeBindingMode", mode, ("Immediate", "WaitForFirstConsumer"))
    if before is None:
        return
    for field in ("parameters", "provisioner"):
        if before.get(field) != document.get(field):
            yield forbidden(field, f"updates to {field} are forbidden.")
    for field in ("reclaimPolicy", "volumeBindingMode"):
        yield from unchanged(field, before, document, field)
