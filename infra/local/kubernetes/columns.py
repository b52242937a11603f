"""The columns that `kubectl get` shows per kind, as the API server defines them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from infra.local.kubernetes import cells
from infra.local.kubernetes import resources as served
from infra.local.kubernetes.documents import JsonObject, integer, mapping, name_of, objects, text, value_at
from infra.local.kubernetes.jsonpath import parse_path, values_at

Read = Callable[[JsonObject, datetime], object]


@dataclass(frozen=True)
class Column:
    """One column; a wide one shows with `-o wide` only."""

    title: str
    read: Read
    wide: bool = False
    kind: str = "string"


def columns_of(resource: served.Resource) -> tuple[Column, ...]:
    """The columns of a resource: name and age where nothing else is defined."""
    if resource.custom:
        return (_NAME, *(printer_columns(resource.definition) or (_AGE,)))
    return _COLUMNS.get(resource.key, (_NAME, _AGE))


def printer_columns(version: JsonObject | None) -> tuple[Column, ...]:
    """The columns that a definition gives its version."""
    return tuple(_printed(written) for written in objects(version, "additionalPrinterColumns"))


def _printed(written: JsonObject) -> Column:
    kind = text(written, "type") or "string"
    path, wide = parse_path(text(written, "jsonPath")), integer(written, "priority") > 0

    def read(document: JsonObject, now: datetime) -> object:
        found = values_at(document, path)
        return cells.printed(found, kind, now)

    return Column(text(written, "name"), read, wide, kind)


def _field(title: str, *path: str, default: str = "", wide: bool = False) -> Column:
    return Column(title, lambda document, _: text(document, *path) or default, wide)


def _count(title: str, *path: str) -> Column:
    return Column(title, lambda document, _: integer(document, *path), kind="integer")


def _computed(title: str, compute: Callable[[JsonObject], object], wide: bool = False, kind: str = "string") -> Column:
    return Column(title, lambda document, _: compute(document), wide, kind)


_NAME = _computed("Name", name_of)
_AGE = Column("Age", cells.age)
_PHASE = _computed("Status", cells.phase)
_TEMPLATE = (
    _computed("Containers", cells.container_names, wide=True),
    _computed("Images", cells.container_images, wide=True),
    _computed("Selector", lambda o: cells.joined_labels(mapping(o, "spec", "selector", "matchLabels")), wide=True),
)
_UNSET = "<unset>"

_COLUMNS: dict[tuple[str, str], tuple[Column, ...]] = {
    served.NODES.key: (
        _NAME,
        _computed("Status", cells.node_status),
        _computed("Roles", cells.node_roles),
        _AGE,
        _field("Version", "status", "nodeInfo", "kubeletVersion"),
        _computed("Internal-IP", lambda o: cells.node_address(o, "InternalIP"), wide=True),
        _computed("External-IP", lambda o: cells.node_address(o, "ExternalIP"), wide=True),
        _field("OS-Image", "status", "nodeInfo", "osImage", wide=True),
        _field("Kernel-Version", "status", "nodeInfo", "kernelVersion", wide=True),
        _field("Container-Runtime", "status", "nodeInfo", "containerRuntimeVersion", wide=True),
    ),
    served.PODS.key: (
        _NAME,
        _computed("Ready", cells.pod_ready),
        _computed("Status", cells.pod_status),
        _computed("Restarts", cells.pod_restarts),
        _AGE,
        _field("IP", "status", "podIP", default=cells.NONE, wide=True),
        _field("Node", "spec", "nodeName", default=cells.NONE, wide=True),
        _field("Nominated Node", "status", "nominatedNodeName", default=cells.NONE, wide=True),
        _computed("Readiness Gates", lambda _: cells.NONE, wide=True),
    ),
    served.NAMESPACES.key: (_NAME, _PHASE, _AGE),
    served.PERSISTENT_VOLUMES.key: (
        _NAME,
        _field("Capacity", "spec", "capacity", "storage"),
        _computed("Access Modes", lambda o: cells.access_modes(o, "spec")),
        _field("Reclaim Policy", "spec", "persistentVolumeReclaimPolicy"),
        _PHASE,
        _computed("Claim", cells.volume_claim),
        _field("StorageClass", "spec", "storageClassName"),
        _field("VolumeAttributesClass", "spec", "volumeAttributesClassName", default=_UNSET),
        _field("Reason", "status", "reason"),
        _AGE,
        _field("VolumeMode", "spec", "volumeMode", wide=True),
    ),
    served.PERSISTENT_VOLUME_CLAIMS.key: (
        _NAME,
        _PHASE,
        _field("Volume", "spec", "volumeName"),
        _field("Capacity", "status", "capacity", "storage"),
        _computed("Access Modes", lambda o: cells.access_modes(o, "status")),
        _field("StorageClass", "spec", "storageClassName"),
        _field("VolumeAttributesClass", "spec", "volumeAttributesClassName", default=_UNSET),
        _AGE,
        _field("VolumeMode", "spec", "volumeMode", wide=True),
    ),
    served.SERVICES.key: (
        _NAME,
        _field("Type", "spec", "type"),
        _field("Cluster-IP", "spec", "clusterIP", default=cells.NONE),
        _computed("External-IP", cells.service_external_ip),
        _computed("Port(s)", cells.service_ports),
        _AGE,
        _computed("Selector", lambda o: cells.joined_labels(mapping(o, "spec", "selector")), wide=True),
    ),
    served.DEPLOYMENTS.key: (
        _NAME,
        _computed("Ready", lambda o: f"{integer(o, 'status', 'readyReplicas')}/{integer(o, 'spec', 'replicas')}"),
        _count("Up-to-date", "status", "updatedReplicas"),
        _count("Available", "status", "availableReplicas"),
        _AGE,
        *_TEMPLATE,
    ),
    served.REPLICA_SETS.key: (
        _NAME,
        _count("Desired", "spec", "replicas"),
        _count("Current", "status", "replicas"),
        _count("Ready", "status", "readyReplicas"),
        _AGE,
        *_TEMPLATE,
    ),
    served.STATEFUL_SETS.key: (
        _NAME,
        _computed("Ready", lambda o: f"{integer(o, 'status', 'readyReplicas')}/{integer(o, 'spec', 'replicas')}"),
        _AGE,
        *_TEMPLATE[:2],
    ),
    served.DAEMON_SETS.key: (
        _NAME,
        _count("Desired", "status", "desiredNumberScheduled"),
        _count("Current", "status", "currentNumberScheduled"),
        _count("Ready", "status", "numberReady"),
        _count("Up-to-date", "status", "updatedNumberScheduled"),
        _count("Available", "status", "numberAvailable"),
        _computed("Node Selector", lambda o: cells.joined_labels(cells.pod_spec(o, "nodeSelector"))),
        _AGE,
        *_TEMPLATE,
    ),
    served.JOBS.key: (
        _NAME,
        _computed("Status", cells.job_status),
        _computed("Completions", lambda o: f"{integer(o, 'status', 'succeeded')}/{integer(o, 'spec', 'completions')}"),
        Column("Duration", cells.job_duration),
        _AGE,
        *_TEMPLATE,
    ),
    served.CONFIG_MAPS.key: (
        _NAME,
        _computed("Data", lambda o: len(mapping(o, "data")) + len(mapping(o, "binaryData"))),
        _AGE,
    ),
    served.SECRETS.key: (
        _NAME,
        _field("Type", "type"),
        _computed("Data", lambda o: len(mapping(o, "data")), kind="integer"),
        _AGE,
    ),
    served.SERVICE_ACCOUNTS.key: (
        _NAME,
        _computed("Secrets", lambda o: len(objects(o, "secrets")), kind="integer"),
        _AGE,
    ),
    served.EVENTS.key: (
        Column("Last Seen", cells.event_last_seen),
        _field("Type", "type"),
        _field("Reason", "reason"),
        _computed("Object", cells.event_object),
        _field("Subobject", "involvedObject", "fieldPath", wide=True),
        _computed("Source", lambda o: text(o, "source", "component") or text(o, "reportingComponent"), wide=True),
        _computed("Message", lambda o: text(o, "message").strip()),
        Column("First Seen", cells.event_first_seen, wide=True),
        _computed("Count", lambda o: value_at(o, "count") or 1, wide=True, kind="integer"),
        Column("Name", lambda o, _: name_of(o), wide=True),
    ),
    served.CUSTOM_RESOURCE_DEFINITIONS.key: (
        _NAME,
        _field("Created At", "metadata", "creationTimestamp"),
    ),
}
