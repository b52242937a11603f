"""How lists inside the built-in kinds merge: which are keyed by which field, and which are sets."""

from __future__ import annotations

from collections.abc import Hashable

from infra.local.kubernetes.documents import JsonObject

MERGE_KEYS: dict[str, tuple[str, ...]] = {
    "addresses": ("type",),
    "conditions": ("type",),
    "containers": ("name",),
    "env": ("name",),
    "ephemeralContainers": ("name",),
    "hostAliases": ("ip",),
    "imagePullSecrets": ("name",),
    "initContainers": ("name",),
    "ownerReferences": ("uid",),
    "podIPs": ("ip",),
    "ports": ("containerPort", "port"),
    "topologySpreadConstraints": ("topologyKey",),
    "volumeDevices": ("devicePath",),
    "volumeMounts": ("mountPath",),
    "volumes": ("name",),
}
"""Field name to the item field that identifies an item; `ports` differ between containers and services."""

SETS = frozenset({"finalizers"})
CUSTOM_KEYED = frozenset({"ownerReferences"})
"""What stays keyed in a custom resource, whose own lists are atomic unless its schema says otherwise."""


def merge_key(field: str, items: list[object], custom: bool = False) -> str | None:
    """The field that identifies the items of a list, or None when the list is replaced as a whole."""
    if custom and field not in CUSTOM_KEYED:
        return None
    for key in MERGE_KEYS.get(field, ()):
        if items and all(isinstance(item, dict) and (key in item or "$patch" in item) for item in items):
            return key
    return None


def item_identity(field: str, key: str, item: JsonObject) -> Hashable:
    """What tells an item of a keyed list from the others; two ports may differ in the protocol only."""
    value = str(item.get(key))
    return (value, str(item.get("protocol", "TCP"))) if field == "ports" else value
