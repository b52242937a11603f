"""Admission rules that look at other objects: service accounts, priority classes, addresses, protected namespaces."""

from __future__ import annotations

from infra.local.kubernetes.call import Call
from infra.local.kubernetes.documents import JsonObject, mapping, name_of, namespace_of, text, value_at
from infra.local.kubernetes.errors import Cause, Forbidden, Invalid, qualified
from infra.local.kubernetes.metadata import is_deleting
from infra.local.kubernetes.resources import NAMESPACES, PODS, PRIORITY_CLASSES, SERVICE_ACCOUNTS, SERVICES

PROTECTED_NAMESPACES = ("default", "kube-system", "kube-public")
_SYSTEM_PRIORITIES = ("system-cluster-critical", "system-node-critical")


def require_references(call: Call, document: JsonObject, before: JsonObject | None) -> None:
    """Check what an object refers to.

    Raises Forbidden or Invalid as the admission plugin of the reference does.
    """
    if before is None and call.resource.namespaced:
        _require_open(call, name_of(document))
    if before is None and call.resource.key == PODS.key:
        _require_account(call, document)
        _require_priority(call, document)
    if before is None and call.resource.key == SERVICES.key:
        _require_free_address(call, document)


def _require_open(call: Call, name: str) -> None:
    namespace = call.store.find(NAMESPACES, call.target.namespace)
    if namespace is None or not is_deleting(namespace):
        return
    resource, place = call.resource, call.target.namespace
    why = f"unable to create new content in namespace {place} because it is being terminated"
    message = f"namespace {place} is being terminated"
    cause = {"reason": "NamespaceTerminating", "message": message, "field": "metadata.namespace"}
    details: JsonObject = {"name": name, "kind": resource.plural, "causes": [cause]}
    raise Forbidden(f'{qualified(resource.plural, resource.group)} "{name}"', why, details)


def _require_account(call: Call, pod: JsonObject) -> None:
    name, namespace = text(pod, "spec", "serviceAccountName"), namespace_of(pod)
    if name and name != "default" and call.store.find(SERVICE_ACCOUNTS, name, namespace) is None:
        why = f'error looking up service account {namespace}/{name}: serviceaccount "{name}" not found'
        raise Forbidden(f'pods "{name_of(pod)}"', why, {"name": name_of(pod), "kind": "pods"})


def _require_priority(call: Call, pod: JsonObject) -> None:
    name = text(pod, "spec", "priorityClassName")
    if not name or name in _SYSTEM_PRIORITIES:
        return
    found = call.store.find(PRIORITY_CLASSES, name)
    if found is None:
        why = f"no PriorityClass with name {name} was found"
        raise Forbidden(f'pods "{name_of(pod)}"', why, {"name": name_of(pod), "kind": "pods"})
    mapping(pod, "spec")["priority"] = value_at(found, "value")


def _require_free_address(call: Call, service: JsonObject) -> None:
    address = text(service, "spec", "clusterIP")
    if address in ("", "None"):
        return
    with call.store.lock:
        taken = any(text(other, "spec", "clusterIP") == address for other in call.store.scan(SERVICES))
    if taken:
        why = f"failed to allocate IP {address}: provided IP is already allocated"
        cause = Cause("FieldValueInvalid", "spec.clusterIPs", f'Invalid value: ["{address}"]: {why}')
        raise Invalid("Service", name_of(service), "", [cause])


def require_deletable(call: Call) -> None:
    """Check that an object may be deleted.

    Raises Forbidden for the namespaces that every cluster needs.
    """
    name = call.target.name
    if call.resource.key == NAMESPACES.key and name in PROTECTED_NAMESPACES:
        raise Forbidden(
            f'namespaces "{name}"', "this namespace may not be deleted", {"name": name, "kind": "namespaces"}
        )
