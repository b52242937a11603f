"""One cluster under contract: the simulator with a clock to move, or a real API server given by CONTRACT_KUBECONFIG."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol
from urllib.parse import urlencode

import pytest

from infra.local.kubernetes.api import KubernetesApi
from infra.local.kubernetes.documents import JsonObject, mapping, name_of, objects, string_map, text, value_at
from infra.local.kubernetes.hyperpod_nodes import NodeFact, Taint, sync_nodes
from infra.local.kubernetes.identity import Identity
from infra.local.messages import HttpRequest

NAMESPACE = "contract"
MERGE = "application/merge-patch+json"
START = datetime(2030, 1, 1, tzinfo=UTC)
_PATHS = {
    "pods": "/api/v1", "services": "/api/v1", "endpoints": "/api/v1", "configmaps": "/api/v1", "secrets": "/api/v1",
    "persistentvolumeclaims": "/api/v1", "events": "/api/v1", "serviceaccounts": "/api/v1",
    "deployments": "/apis/apps/v1", "replicasets": "/apis/apps/v1", "daemonsets": "/apis/apps/v1",
    "statefulsets": "/apis/apps/v1", "jobs": "/apis/batch/v1", "cronjobs": "/apis/batch/v1",
    "endpointslices": "/apis/discovery.k8s.io/v1",
}  # fmt: skip
_OF_THE_CLUSTER = {
    "nodes": "/api/v1", "persistentvolumes": "/api/v1", "namespaces": "/api/v1",
    "storageclasses": "/apis/storage.k8s.io/v1", "csidrivers": "/apis/storage.k8s.io/v1",
}  # fmt: skip


class Door(Protocol):
    """How requests reach an API server."""

    def call(self, method: str, path: str, query: Mapping[str, str], body: object, media: str) -> tuple[int, object]:
        """One request: its status and its answer, read as JSON when it is."""


class Simulator:
    """The simulated API server, its clock and its nodes."""

    def __init__(self) -> None:
        self.moment = START
        self.nodes: list[NodeFact] = []
        self.api = KubernetesApi("1.34", lambda: self.moment, lambda token: Identity("tester", ("system:masters",)))

    def call(self, method: str, path: str, query: Mapping[str, str], body: object, media: str) -> tuple[int, object]:
        headers = {"authorization": "Bearer x", "content-type": media}
        raw = b"" if body is None else json.dumps(body).encode()
        answer = self.api.handle(HttpRequest(method, path, urlencode(query), headers, raw))
        return answer.status, _read(answer.body)

    def jump(self, seconds: float) -> None:
        """Let time pass, stopping wherever a controller has something to do."""
        end = self.moment + timedelta(seconds=seconds)
        self.api.settle()
        while due := [moment for moment in self.api.deadlines() if moment <= end]:
            self.moment = max(self.moment, min(due))
            self.api.settle()
        self.moment = end
        self.api.settle()

    def sync(self) -> None:
        """Make the nodes what they should be."""
        sync_nodes(self.api.store, self.nodes)
        self.api.settle()


class RealServer:
    """An API server reached through a kubeconfig."""

    def __init__(self, kubeconfig: str) -> None:
        kubernetes: Any = pytest.importorskip("kubernetes")
        self._client = kubernetes.config.new_client_from_config(kubeconfig)

    def call(self, method: str, path: str, query: Mapping[str, str], body: object, media: str) -> tuple[int, object]:
        headers = {"Content-Type": media, "Accept": "application/json"}
        parts = self._client.param_serialize(
            method,
            path,
            query_params=list(query.items()),
            header_params=headers,
            body=body,
            auth_settings=["BearerToken"],
        )
        answer = self._client.call_api(*parts)
        return int(answer.status), _read(answer.read())


class Cluster:
    """What a contract test does with a cluster."""

    def __init__(self, door: Door, namespace: str = NAMESPACE) -> None:
        self._door = door
        self._namespace = namespace

    @property
    def simulator(self) -> Simulator:
        """The simulator behind the door; a test that needs it is skipped on a real cluster."""
        if not isinstance(self._door, Simulator):
            pytest.skip("moves the clock or makes nodes")
        return self._door

    # -- time and nodes

    def after(self, seconds: float) -> None:
        """Let time pass."""
        self.simulator.jump(seconds)

    def node(self, name: str = "a", **more: object) -> str:
        """Add a node; gives its name."""
        usual: dict[str, Any] = {
            "instance_id": f"i-{name}", "instance_group": "workers", "instance_type": "ml.g5.8xlarge",
            "zone": "us-west-2a", "cluster_name": "hp", "ready": True, "reason": "", "private_ip": "10.1.0.7", "cpu": 8,
            "memory_mib": 32768, "accelerator_resource": "nvidia.com/gpu", "accelerator_count": 0, "max_pods": 20,
            "labels": {}, "taints": (), "created_at": START,
        }  # fmt: skip
        simulator = self.simulator
        given: dict[str, Any] = {**usual, **more}
        fact = NodeFact(**{**given, "taints": tuple(Taint(*taint) for taint in given["taints"])})
        simulator.nodes = [*(n for n in simulator.nodes if n.instance_id != fact.instance_id), fact]
        simulator.sync()
        return f"hyperpod-i-{name}"

    def without_node(self, name: str = "a") -> None:
        """Take a node away."""
        self.simulator.nodes = [n for n in self.simulator.nodes if n.instance_id != f"i-{name}"]
        self.simulator.sync()

    # -- objects

    def create(
        self, plural: str, name: str, spec: object = None, namespace: str = NAMESPACE, **more: object
    ) -> JsonObject:
        """Create an object."""
        metadata = {"name": name, **mapping(more.pop("metadata", {}))}
        body = {"metadata": metadata, **({} if spec is None else {"spec": spec}), **more}
        return self._ask("POST", self._path(plural, "", namespace), body)

    def get(self, plural: str, name: str, namespace: str = NAMESPACE) -> JsonObject:
        """Read an object."""
        return self._ask("GET", self._path(plural, name, namespace))

    def exists(self, plural: str, name: str, namespace: str = NAMESPACE) -> bool:
        """Whether an object is there."""
        return self._door.call("GET", self._path(plural, name, namespace), {}, None, "application/json")[0] == 200

    def list_all(self, plural: str, namespace: str = NAMESPACE, **query: str) -> Sequence[JsonObject]:
        """Read the objects of a namespace, by name."""
        return sorted(objects(self._ask("GET", self._path(plural, "", namespace), **query), "items"), key=name_of)

    def patch(self, plural: str, name: str, body: object, namespace: str = NAMESPACE) -> JsonObject:
        """Merge a change into an object."""
        return self._ask("PATCH", self._path(plural, name, namespace), body, MERGE)

    def delete(self, plural: str, name: str, namespace: str = NAMESPACE, grace: int | None = None) -> None:
        """Delete an object."""
        options = None if grace is None else {"gracePeriodSeconds": grace}
        self._ask("DELETE", self._path(plural, name, namespace), options)

    def log(self, name: str) -> list[str]:
        """What a pod printed."""
        path = f"{self._path('pods', name, NAMESPACE)}/log"
        return str(self._door.call("GET", path, {}, None, "application/json")[1]).splitlines()

    # -- reading what matters

    def pods(self, **query: str) -> Sequence[JsonObject]:
        """The pods of the namespace."""
        return self.list_all("pods", **query)

    def reasons(self, name: str, namespace: str = NAMESPACE) -> list[str]:
        """The reasons of the events about an object, in order."""
        return [text(event, "reason") for event in self.events(name, namespace)]

    def messages(self, name: str, reason: str, namespace: str = NAMESPACE) -> list[str]:
        """The messages of the events about an object that have this reason."""
        return [text(e, "message") for e in self.events(name, namespace) if e.get("reason") == reason]

    def events(self, name: str, namespace: str = NAMESPACE) -> list[JsonObject]:
        """The events about an object, oldest first."""
        found = self.list_all("events", namespace, fieldSelector=f"involvedObject.name={name}")
        return sorted(found, key=lambda e: int(text(e, "metadata", "resourceVersion")))

    def _path(self, plural: str, name: str, namespace: str) -> str:
        return _path(plural, name, self._namespace if namespace == NAMESPACE else namespace)

    def _ask(
        self, method: str, path: str, body: object = None, media: str = "application/json", **query: str
    ) -> JsonObject:
        status, answer = self._door.call(method, path, query, body, media)
        assert status < 300, answer
        return mapping(answer)


def template(**spec: object) -> JsonObject:
    """A pod template with one container; `labels` and `annotations` are the pod's, the rest is its spec."""
    metadata = {"labels": spec.pop("labels", {"app": "web"}), "annotations": spec.pop("annotations", {})}
    return {"metadata": metadata, "spec": pod_spec(**spec)}


def pod_spec(**more: object) -> JsonObject:
    """A pod's spec with one container; `requests`, `image`, `command` and `probes` are the container's."""
    container: dict[str, Any] = {
        "name": "main",
        "image": more.pop("image", "app:1"),
        **mapping(more.pop("container", {})),
    }
    if requests := more.pop("requests", None):
        container["resources"] = {"requests": requests, "limits": requests}
    if command := more.pop("command", None):
        container["command"] = ["sh", "-c", command]
    return {"containers": [container], **more}


def workload(labels: Mapping[str, str] | None = None, **more: object) -> JsonObject:
    """The spec of a Deployment, ReplicaSet, DaemonSet or StatefulSet."""
    chosen = dict(labels or {"app": "web"})
    made = more.pop("template", None) or template(labels=chosen)
    return {"selector": {"matchLabels": chosen}, "template": made, **more}


def condition(document: JsonObject, kind: str) -> JsonObject:
    """One condition of an object's status."""
    return next((c for c in objects(document, "status", "conditions") if c.get("type") == kind), {})


def phase(document: JsonObject) -> str:
    """An object's phase."""
    return text(document, "status", "phase")


def waiting(pod: JsonObject) -> str:
    """Why a pod's first container waits."""
    statuses = objects(pod, "status", "containerStatuses")
    return text(statuses[0], "state", "waiting", "reason") if statuses else ""


def restarts(pod: JsonObject) -> object:
    """How often a pod's first container was started again."""
    return value_at(objects(pod, "status", "containerStatuses")[0], "restartCount")


def labels(document: JsonObject) -> dict[str, str]:
    """An object's labels."""
    return string_map(document, "metadata", "labels")


def _path(plural: str, name: str, namespace: str) -> str:
    if plural in _OF_THE_CLUSTER:
        return "/".join(filter(None, (_OF_THE_CLUSTER[plural], plural, name)))
    return "/".join(filter(None, (_PATHS[plural], "namespaces", namespace, plural, name)))


def _read(body: bytes) -> object:
    try:
        found: object = json.loads(body)
    except ValueError:
        return body.decode()
    return found
