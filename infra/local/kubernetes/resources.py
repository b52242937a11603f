"""The resources a cluster serves: the built-in ones as data, and a registry that CRDs extend at run time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from infra.local.kubernetes.documents import JsonObject, mapping, objects, strings, text, value_at

ALL_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
STATUS = ("status",)
WORKLOAD = ("scale", "status")


@dataclass(frozen=True)
class Resource:
    """One served resource of one version; `key` identifies its objects, which all versions share."""

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool = True
    short_names: tuple[str, ...] = ()
    subresources: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    counts_generations: bool = False
    custom: bool = False
    verbs: tuple[str, ...] = ALL_VERBS
    singular: str = ""
    list_kind: str = ""

    @property
    def api_version(self) -> str:
        """`v1`, or `group/version` outside the core group."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def key(self) -> tuple[str, str]:
        """What its objects are stored under; both Event groups are views of the same objects."""
        return ("", "events") if self.plural == "events" else (self.group, self.plural)


def _core(plural: str, kind: str, *short: str, cluster: bool = False, sub: tuple[str, ...] = STATUS) -> Resource:
    return Resource("", "v1", plural, kind, not cluster, short, sub)


def _workload(group: str, plural: str, kind: str, *short: str, sub: tuple[str, ...]) -> Resource:
    return Resource(group, "v1", plural, kind, True, short, sub, ("all",), counts_generations=True)


def _plain(group: str, plural: str, kind: str, *short: str, cluster: bool = False) -> Resource:
    return Resource(group, "v1", plural, kind, not cluster, short)


def _review(group: str, plural: str, kind: str) -> Resource:
    return Resource(group, "v1", plural, kind, False, verbs=("create",))


NAMESPACES = _core("namespaces", "Namespace", "ns", cluster=True)
NODES = _core("nodes", "Node", "no", cluster=True)
PODS = Resource("", "v1", "pods", "Pod", True, ("po",), ("log", "status"), ("all",), counts_generations=True)
SERVICES = Resource("", "v1", "services", "Service", True, ("svc",), STATUS, ("all",))
ENDPOINTS = _core("endpoints", "Endpoints", "ep", sub=())
CONFIG_MAPS = _core("configmaps", "ConfigMap", "cm", sub=())
SECRETS = _core("secrets", "Secret", sub=())
SERVICE_ACCOUNTS = _core("serviceaccounts", "ServiceAccount", "sa", sub=())
EVENTS = _core("events", "Event", "ev", sub=())
PERSISTENT_VOLUMES = _core("persistentvolumes", "PersistentVolume", "pv", cluster=True)
PERSISTENT_VOLUME_CLAIMS = _core("persistentvolumeclaims", "PersistentVolumeClaim", "pvc")
DEPLOYMENTS = _workload("apps", "deployments", "Deployment", "deploy", sub=WORKLOAD)
DAEMON_SETS = _workload("apps", "daemonsets", "DaemonSet", "ds", sub=STATUS)
REPLICA_SETS = _workload("apps", "replicasets", "ReplicaSet", "rs", sub=WORKLOAD)
STATEFUL_SETS = _workload("apps", "statefulsets", "StatefulSet", "sts", sub=WORKLOAD)
JOBS = _workload("batch", "jobs", "Job", sub=STATUS)
CRON_JOBS = _workload("batch", "cronjobs", "CronJob", "cj", sub=STATUS)
STORAGE_CLASSES = _plain("storage.k8s.io", "storageclasses", "StorageClass", "sc", cluster=True)
CSI_DRIVERS = _plain("storage.k8s.io", "csidrivers", "CSIDriver", cluster=True)
CSI_NODES = _plain("storage.k8s.io", "csinodes", "CSINode", cluster=True)
LEASES = _plain("coordination.k8s.io", "leases", "Lease")
CUSTOM_RESOURCE_DEFINITIONS = Resource(
    "apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", False, ("crd", "crds"),
    STATUS, ("api-extensions",), counts_generations=True,
)  # fmt: skip
ACCESS_REVIEWS = _review("authorization.k8s.io", "selfsubjectaccessreviews", "SelfSubjectAccessReview")
SELF_REVIEWS = _review("authentication.k8s.io", "selfsubjectreviews", "SelfSubjectReview")

BUILT_IN = (
    NAMESPACES, NODES, PODS, SERVICES, ENDPOINTS, CONFIG_MAPS, SECRETS, SERVICE_ACCOUNTS, EVENTS,
    PERSISTENT_VOLUMES, PERSISTENT_VOLUME_CLAIMS, DEPLOYMENTS, DAEMON_SETS, REPLICA_SETS, STATEFUL_SETS,
    JOBS, CRON_JOBS, STORAGE_CLASSES, CSI_DRIVERS, CSI_NODES, LEASES, CUSTOM_RESOURCE_DEFINITIONS,
    ACCESS_REVIEWS, SELF_REVIEWS,
    _plain("rbac.authorization.k8s.io", "roles", "Role"),
    _plain("rbac.authorization.k8s.io", "rolebindings", "RoleBinding"),
    _plain("rbac.authorization.k8s.io", "clusterroles", "ClusterRole", cluster=True),
    _plain("rbac.authorization.k8s.io", "clusterrolebindings", "ClusterRoleBinding", cluster=True),
    _plain("discovery.k8s.io", "endpointslices", "EndpointSlice"),
    _plain("events.k8s.io", "events", "Event", "ev"),
)  # fmt: skip


class Registry:
    """Which resources are served now, found by path or by kind."""

    def __init__(self) -> None:
        self._served = {(r.group, r.version, r.plural): r for r in BUILT_IN}

    def __iter__(self) -> Iterator[Resource]:
        return iter(list(self._served.values()))

    def find(self, group: str, version: str, plural: str) -> Resource | None:
        """The resource behind `/apis/<group>/<version>/<plural>`."""
        return self._served.get((group, version, plural))

    def of_kind(self, api_version: str, kind: str) -> Resource | None:
        """The resource that serves objects of an apiVersion and kind."""
        return next((r for r in self if r.api_version == api_version and r.kind == kind), None)

    def of_key(self, key: tuple[str, str]) -> Resource | None:
        """One served version of the resource whose objects are stored under `key`."""
        return next((r for r in self if r.key == key), None)

    def replace_custom(self, key: tuple[str, str], served: list[Resource]) -> None:
        """Serve exactly these versions of one custom resource; none withdraws it."""
        self._served = {at: r for at, r in self._served.items() if not (r.custom and r.key == key)}
        self._served.update({(r.group, r.version, r.plural): r for r in served})

    def group_versions(self) -> dict[str, list[str]]:
        """Each group's versions, the preferred one first."""
        groups: dict[str, set[str]] = {}
        for resource in self:
            groups.setdefault(resource.group, set()).add(resource.version)
        return {group: sorted(versions, key=_priority) for group, versions in groups.items()}


def custom_key(definition: JsonObject) -> tuple[str, str]:
    """What the objects of a CustomResourceDefinition are stored under."""
    return text(definition, "spec", "group"), text(definition, "spec", "names", "plural")


def custom_resources(definition: JsonObject) -> list[Resource]:
    """The resources a CustomResourceDefinition makes the server serve, one per served version."""
    versions = objects(definition, "spec", "versions")
    return [_custom(definition, version) for version in versions if value_at(version, "served")]


def _custom(definition: JsonObject, version: JsonObject) -> Resource:
    group, plural = custom_key(definition)
    names = mapping(definition, "spec", "names")
    kind = text(names, "kind")
    return Resource(
        group=group,
        version=text(version, "name"),
        plural=plural,
        kind=kind,
        namespaced=text(definition, "spec", "scope") == "Namespaced",
        short_names=tuple(strings(names, "shortNames")),
        subresources=STATUS if "status" in mapping(version, "subresources") else (),
        categories=tuple(strings(names, "categories")),
        counts_generations=True,
        custom=True,
        singular=text(names, "singular") or kind.lower(),
        list_kind=text(names, "listKind"),
    )


def _priority(version: str) -> tuple[int, int, int]:
    match = re.fullmatch(r"v(\d+)(?:(alpha|beta)(\d+))?", version)
    if match is None:
        return (3, 0, 0)
    major, stage, minor = match.groups()
    return ({None: 0, "beta": 1, "alpha": 2}[stage], -int(major), -int(minor or 0))
