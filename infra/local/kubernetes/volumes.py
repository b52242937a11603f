"""Binding of persistent volume claims to existing persistent volumes.

Stricter than Kubernetes in one point: a volume whose CSI driver is not registered does not bind. There the claim
would bind and the pod would fail to mount; here the missing add-on shows at once.
"""

from __future__ import annotations

from decimal import Decimal

from infra.local.kubernetes.documents import (
    JsonObject,
    ensure_mapping,
    mapping,
    name_of,
    namespace_of,
    strings,
    text,
)
from infra.local.kubernetes.events import record_event
from infra.local.kubernetes.quantities import parse_quantity
from infra.local.kubernetes.resources import (
    CSI_DRIVERS,
    PERSISTENT_VOLUME_CLAIMS,
    PERSISTENT_VOLUMES,
    STORAGE_CLASSES,
)
from infra.local.kubernetes.store import Store

_COMPONENT = "persistentvolume-controller"
_EXTERNAL = (
    "Waiting for a volume to be created either by the external provisioner '{}' or manually by the system "
    "administrator. If volume creation is delayed, please verify that the provisioner is running and correctly "
    "registered."
)


def bind_volumes(store: Store) -> None:
    """Bind every pending claim that has a fitting volume; the others get an event that says why not."""
    for claim in store.select(PERSISTENT_VOLUME_CLAIMS, fields="status.phase=Pending"):
        if text(claim, "spec", "volumeName"):
            _bind_named(store, claim)
        else:
            _bind_any(store, claim)


def release_volumes(store: Store) -> None:
    """Mark the volumes whose claim is gone as Released; they keep their data and bind to nothing."""
    for volume in store.select(PERSISTENT_VOLUMES, fields="status.phase=Bound"):
        reference = mapping(volume, "spec", "claimRef")
        claim = store.find(PERSISTENT_VOLUME_CLAIMS, text(reference, "name"), text(reference, "namespace"))
        if claim is None or not _is_reserved_for(reference, claim):
            store.set_status(PERSISTENT_VOLUMES, name_of(volume), {"phase": "Released"})


def _bind_named(store: Store, claim: JsonObject) -> None:
    name = text(claim, "spec", "volumeName")
    volume = store.find(PERSISTENT_VOLUMES, name)
    if volume is None:
        return
    if not _is_free_for(volume, claim):
        message = f'volume "{name}" already bound to a different claim.'
        record_event(store, claim, "FailedBinding", message, _COMPONENT)
    elif misfit := _misfit(volume, claim):
        message = f'Cannot bind to requested volume "{name}": {misfit}'
        record_event(store, claim, "VolumeMismatch", message, _COMPONENT)
    else:
        _bind(store, volume, claim)


def _bind_any(store: Store, claim: JsonObject) -> None:
    fitting = [v for v in store.select(PERSISTENT_VOLUMES) if _is_free_for(v, claim) and not _misfit(v, claim)]
    if fitting:
        _bind(store, min(fitting, key=lambda v: (not mapping(v, "spec", "claimRef"), _capacity(v))), claim)
    else:
        _report_unbound(store, claim)


def _report_unbound(store: Store, claim: JsonObject) -> None:
    name = text(claim, "spec", "storageClassName")
    if not name:
        message = "no persistent volumes available for this claim and no storage class is set"
        record_event(store, claim, "FailedBinding", message, _COMPONENT, "Normal")
        return
    storage_class = store.find(STORAGE_CLASSES, name)
    if storage_class is None:
        message = f'storageclass.storage.k8s.io "{name}" not found'
        record_event(store, claim, "ProvisioningFailed", message, _COMPONENT)
    else:
        message = _EXTERNAL.format(text(storage_class, "provisioner"))
        record_event(store, claim, "ExternalProvisioning", message, _COMPONENT, "Normal")


def _bind(store: Store, volume: JsonObject, claim: JsonObject) -> None:
    driver = text(volume, "spec", "csi", "driver")
    if driver and store.find(CSI_DRIVERS, driver) is None:
        message = (
            f'volume "{name_of(volume)}" needs the CSI driver "{driver}", which is not registered in this cluster: '
            "install its add-on"
        )
        record_event(store, claim, "FailedBinding", message, _COMPONENT)
        return
    store.modify(PERSISTENT_VOLUMES, name_of(volume), lambda document: _reserve(document, claim))
    store.modify(
        PERSISTENT_VOLUME_CLAIMS, name_of(claim), lambda document: _fulfil(document, volume), namespace_of(claim)
    )


def _reserve(volume: JsonObject, claim: JsonObject) -> None:
    ensure_mapping(volume, "spec")["claimRef"] = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "namespace": namespace_of(claim),
        "name": name_of(claim),
        "uid": text(claim, "metadata", "uid"),
        "resourceVersion": text(claim, "metadata", "resourceVersion"),
    }
    volume["status"] = {"phase": "Bound"}


def _fulfil(claim: JsonObject, volume: JsonObject) -> None:
    ensure_mapping(claim, "metadata", "annotations")["pv.kubernetes.io/bind-completed"] = "yes"
    ensure_mapping(claim, "spec")["volumeName"] = name_of(volume)
    claim["status"] = {
        "phase": "Bound",
        "accessModes": strings(volume, "spec", "accessModes"),
        "capacity": mapping(volume, "spec", "capacity"),
    }


def _is_free_for(volume: JsonObject, claim: JsonObject) -> bool:
    reference = mapping(volume, "spec", "claimRef")
    return text(volume, "status", "phase") == "Available" and (not reference or _is_reserved_for(reference, claim))


def _is_reserved_for(reference: JsonObject, claim: JsonObject) -> bool:
    same_name = (text(reference, "namespace"), text(reference, "name")) == (namespace_of(claim), name_of(claim))
    return same_name and text(reference, "uid") in ("", text(claim, "metadata", "uid"))


def _misfit(volume: JsonObject, claim: JsonObject) -> str:
    if text(volume, "spec", "storageClassName") != text(claim, "spec", "storageClassName"):
        return "storageClassName does not match"
    if text(volume, "spec", "volumeMode") != text(claim, "spec", "volumeMode"):
        return "incompatible volumeMode"
    if not set(strings(claim, "spec", "accessModes")) <= set(strings(volume, "spec", "accessModes")):
        return "incompatible accessMode"
    requested = text(claim, "spec", "resources", "requests", "storage") or "0"
    return "requested PV is too small" if _capacity(volume) < parse_quantity(requested) else ""


def _capacity(volume: JsonObject) -> Decimal:
    return parse_quantity(text(volume, "spec", "capacity", "storage") or "0")
