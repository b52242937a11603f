"""Objects by kind and name, by owner, and pods by node and by what they wait for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from infra.local.kubernetes.controllers.requests import PodRequests, Usage
from infra.local.kubernetes.documents import JsonObject, mapping, name_of, namespace_of, objects, string_map, text
from infra.local.kubernetes.history import Change
from infra.local.kubernetes.resources import PODS

StorageKey = tuple[str, str]
"""What the objects of a resource are kept under: its group and plural."""
_Key = tuple[str, str]
_Documents = dict[_Key, JsonObject]
FINISHED = ("Succeeded", "Failed")


class Index:
    """The objects of a cluster, shared with the store and never changed here."""

    def __init__(self) -> None:
        self._kinds: dict[StorageKey, dict[str, dict[str, JsonObject]]] = {}
        self._owned: dict[tuple[StorageKey, str], _Documents] = {}
        self._on_node: dict[str, _Documents] = {}
        self._labelled: dict[tuple[str, str, str], _Documents] = {}
        self._usage: dict[str, Usage] = {}
        self._requests = PodRequests()
        self.unscheduled: _Documents = {}
        self.starting: _Documents = {}
        self.repelling: _Documents = {}
        """Placed pods that keep others away by a hard anti-affinity."""

    def get(self, kind: StorageKey, namespace: str, name: str) -> JsonObject | None:
        """One object, or None."""
        return self._kinds.get(kind, {}).get(namespace, {}).get(name)

    def all(self, kind: StorageKey, namespace: str = "") -> list[JsonObject]:
        """The objects of a namespace (all, when empty), ordered by namespace and name."""
        by_namespace = self._kinds.get(kind, {})
        namespaces = [namespace] if namespace else sorted(by_namespace)
        return [o for kept in namespaces for _, o in sorted(by_namespace.get(kept, {}).items(), key=_by_name)]

    def owned(self, kind: StorageKey, uid: str) -> list[JsonObject]:
        """The objects of a kind that the owner with this uid controls, ordered by name."""
        return _ordered(self._owned.get((kind, uid), {}))

    def pods_on(self, node: str) -> list[JsonObject]:
        """The pods bound to a node."""
        return _ordered(self._on_node.get(node, {}))

    def labelled_pods(self, namespace: str, wanted: Mapping[str, str]) -> list[JsonObject]:
        """The pods of a namespace that have these labels."""
        if not wanted:
            return self.all(PODS.key, namespace)
        found = [self._labelled.get((namespace, key, value), {}) for key, value in wanted.items()]
        pods = _ordered(min(found, key=len))
        return pods if len(wanted) == 1 else [pod for pod in pods if wanted.items() <= _labels(pod).items()]

    def usage(self, node: str) -> Usage:
        """What the unfinished pods of a node request together."""
        if node not in self._usage:
            pods = [pod for pod in self._on_node.get(node, {}).values() if not is_finished(pod)]
            self._usage[node] = Usage.of([self.requests(pod) for pod in pods])
        return self._usage[node]

    def requests(self, pod: JsonObject) -> dict[str, int]:
        """What a pod requests."""
        return self._requests.of(pod)

    def knows(self, change: Change) -> bool:
        """Whether a change, or a later one of the same object, was applied before."""
        about = change.after or change.before or {}
        held = self.get(change.key, namespace_of(about), name_of(about))
        if held is None:
            return change.after is None
        return _version(held) >= change.version

    def apply(self, change: Change) -> None:
        """Take a change in."""
        about = change.after or change.before or {}
        key = namespace_of(about), name_of(about)
        kept = self._kinds.setdefault(change.key, {}).setdefault(key[0], {})
        before = kept.pop(key[1], None)
        if before is not None:
            self._forget(change.key, key, before)
        if change.after is not None:
            kept[key[1]] = change.after
            self._remember(change.key, key, change.after)

    def missing_from(self, other: Index) -> Iterator[tuple[StorageKey, JsonObject]]:
        """What this index holds and another does not."""
        for kind, by_namespace in self._kinds.items():
            for namespace, kept in by_namespace.items():
                for name, document in kept.items():
                    if other.get(kind, namespace, name) is None:
                        yield kind, document

    def _forget(self, kind: StorageKey, key: _Key, document: JsonObject) -> None:
        if owner := controller_uid(document):
            self._owned[kind, owner].pop(key, None)
        if kind == PODS.key:
            node = text(document, "spec", "nodeName")
            self._on_node.get(node, {}).pop(key, None)
            self.unscheduled.pop(key, None)
            self.starting.pop(key, None)
            self.repelling.pop(key, None)
            for label, value in _labels(document).items():
                self._labelled[key[0], label, value].pop(key, None)
            self._usage.pop(node, None)

    def _remember(self, kind: StorageKey, key: _Key, document: JsonObject) -> None:
        if owner := controller_uid(document):
            self._owned.setdefault((kind, owner), {})[key] = document
        if kind == PODS.key:
            self._remember_pod(key, document)

    def _remember_pod(self, key: _Key, pod: JsonObject) -> None:
        node = text(pod, "spec", "nodeName")
        for label, value in _labels(pod).items():
            self._labelled.setdefault((key[0], label, value), {})[key] = pod
        if node:
            self._on_node.setdefault(node, {})[key] = pod
            self._usage.pop(node, None)
            if mapping(pod, "spec", "affinity", "podAntiAffinity"):
                self.repelling[key] = pod
        if text(pod, "status", "phase") in ("", "Pending"):
            (self.starting if node else self.unscheduled)[key] = pod


def controller_uid(document: JsonObject) -> str:
    """The uid of the object that controls this one, empty when none does."""
    references = objects(document, "metadata", "ownerReferences")
    return next((text(reference, "uid") for reference in references if reference.get("controller")), "")


def is_finished(pod: JsonObject) -> bool:
    """Whether a pod's containers have ended for good."""
    return text(pod, "status", "phase") in FINISHED


def _labels(document: JsonObject) -> dict[str, str]:
    return string_map(document, "metadata", "labels")


def _by_name(item: tuple[str, JsonObject]) -> str:
    return item[0]


def _ordered(documents: _Documents) -> list[JsonObject]:
    return [document for _, document in sorted(documents.items(), key=lambda item: item[0])]


def _version(document: JsonObject) -> int:
    return int(text(document, "metadata", "resourceVersion") or 0)
