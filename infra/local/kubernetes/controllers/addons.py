"""What EKS add-ons put into a cluster, and how healthy it is there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

from infra.local.kubernetes.controllers.addon_operators import OPERATORS
from infra.local.kubernetes.controllers.conditions import condition_of
from infra.local.kubernetes.controllers.matching import labels_of, selects
from infra.local.kubernetes.documents import JsonObject, integer, mapping, name_of, namespace_of, objects, text
from infra.local.kubernetes.resources import (
    CSI_DRIVERS,
    DAEMON_SETS,
    DEPLOYMENTS,
    NAMESPACES,
    PODS,
    SERVICE_ACCOUNTS,
    SERVICES,
    Resource,
)
from infra.local.kubernetes.store import Store

SYSTEM = "kube-system"
_REGISTRY = "123456789012.dkr.ecr.us-west-2.amazonaws.com"
_Piece = tuple[Resource, JsonObject]
_EVERYWHERE: list[JsonObject] = [{"operator": "Exists"}]
_ON_HOST: JsonObject = {"hostNetwork": True, "priorityClassName": "system-node-critical", "tolerations": _EVERYWHERE}


class AddonIssue(TypedDict):
    """One entry of an add-on's `health.issues`, as EKS describes it."""

    code: str
    message: str
    resourceIds: list[str]


def install_addon(store: Store, name: str, version: str) -> None:
    """Create or update the objects of an add-on; nothing for one that is not known here.

    Raises what the store raises.
    """
    with store.lock:
        for resource, document in _pieces(name, version):
            namespace = _namespace(resource, document)
            if namespace and store.find(NAMESPACES, namespace) is None:
                store.create(NAMESPACES, {"metadata": {"name": namespace}})
            entries = _applied_by_eks(resource, store.find(resource, name_of(document), namespace))
            metadata = {**mapping(document, "metadata"), "managedFields": entries}
            store.upsert(
                resource, {**document, "metadata": {**metadata, **({"namespace": namespace} if namespace else {})}}
            )


def remove_addon(store: Store, name: str) -> None:
    """Delete the objects of an add-on, and the pods of its workloads."""
    with store.lock:
        for resource, document in _pieces(name, ""):
            namespace = _namespace(resource, document)
            if store.find(resource, name_of(document), namespace) is not None:
                store.delete(resource, name_of(document), namespace)
        for pod in store.select(PODS, labels=f"eks.amazonaws.com/addon={name}"):
            store.delete(PODS, name_of(pod), namespace_of(pod))


def _namespace(resource: Resource, piece: JsonObject) -> str:
    return (namespace_of(piece) or SYSTEM) if resource.namespaced else ""


def _applied_by_eks(resource: Resource, there: JsonObject | None) -> list[JsonObject]:
    """The managers of an object's fields once EKS has applied it: those there are, and EKS."""
    others = [entry for entry in objects(there or {}, "metadata", "managedFields") if entry.get("manager") != "eks"]
    entry: JsonObject = {"manager": "eks", "operation": "Apply", "apiVersion": resource.api_version}
    return [*others, {**entry, "fieldsType": "FieldsV1", "fieldsV1": {}}]


def knows_addon(name: str) -> bool:
    """Whether it is known here what an add-on puts into a cluster."""
    return name in _ADDONS


def addon_conflicts(store: Store, name: str, version: str) -> list[str]:
    """The fields that an add-on would set and that objects already in the cluster have with other values.

    Only images are compared: they are what a self-managed copy never shares with the add-on.
    """
    conflicts: list[str] = []
    with store.lock:
        for resource, piece in _pieces(name, version):
            namespace = _namespace(resource, piece)
            there = store.find(resource, name_of(piece), namespace) if resource in (DEPLOYMENTS, DAEMON_SETS) else None
            if there is not None:
                named = f"{resource.kind}.apps {name_of(piece)} - .spec.template.spec.containers"
                conflicts += [f'{named}[name="{each}"].image' for each in _other_images(piece, there)]
    return conflicts


def _other_images(piece: JsonObject, there: JsonObject) -> list[str]:
    wanted, found = _images(piece), _images(there)
    return [name for name, image in wanted.items() if found.get(name) != image]


def _images(workload: JsonObject) -> dict[str, str]:
    containers = objects(workload, "spec", "template", "spec", "containers")
    return {text(container, "name"): text(container, "image") for container in containers}


def addon_health(store: Store, name: str) -> list[AddonIssue]:
    """What is wrong with an add-on's workloads now; empty when all replicas it wants are available.

    A DaemonSet without a fitting node is healthy, a Deployment without a node to run on is not.
    """
    issues: list[AddonIssue] = []
    with store.lock:
        for resource, piece in _pieces(name, ""):
            if resource not in (DEPLOYMENTS, DAEMON_SETS):
                continue
            namespace = _namespace(resource, piece)
            workload = store.find(resource, name_of(piece), namespace)
            if workload is None:
                message = f"The {resource.kind} {namespace}/{name_of(piece)} of the add-on does not exist."
                issues.append(AddonIssue(code="K8sResourceNotFound", message=message, resourceIds=[name_of(piece)]))
            elif _available(workload) < _wanted(resource, workload):
                issues.append(_insufficient(store, workload))
    return issues


def _insufficient(store: Store, workload: JsonObject) -> AddonIssue:
    message = "The add-on is unhealthy because it doesn't have the desired number of replicas."
    selector = mapping(workload, "spec", "selector")
    pods = [pod for pod in store.select(PODS, namespace_of(workload)) if selects(selector, labels_of(pod))]
    reasons = sorted({text(condition_of(pod, "PodScheduled"), "message") for pod in pods} - {""})
    said = f"{message} {reasons[0]}" if reasons else message
    return AddonIssue(code="InsufficientNumberOfReplicas", message=said, resourceIds=[])


def _wanted(resource: Resource, workload: JsonObject) -> int:
    if resource == DEPLOYMENTS:
        return integer(workload, "spec", "replicas")
    return integer(workload, "status", "desiredNumberScheduled")


def _available(workload: JsonObject) -> int:
    return integer(workload, "status", "availableReplicas") or integer(workload, "status", "numberAvailable")


def _pieces(name: str, version: str) -> list[_Piece]:
    make = _ADDONS.get(name)
    return make(name, version) if make else []


def _container(name: str, image: str, version: str, **more: object) -> JsonObject:
    return {"name": name, "image": f"{_REGISTRY}/eks/{image}:{version or 'latest'}", **more}


def _workload(name: str, addon: str, containers: list[JsonObject], spec: JsonObject, **more: object) -> JsonObject:
    labels = {"app.kubernetes.io/name": name, "k8s-app": name}
    pod_labels = {**labels, "eks.amazonaws.com/addon": addon}
    template: JsonObject = {"metadata": {"labels": pod_labels}, "spec": {"containers": containers, **spec}}
    selector: JsonObject = {"matchLabels": {"k8s-app": name}}
    return {"metadata": {"name": name, "labels": labels}, "spec": {"selector": selector, "template": template, **more}}


def _requests(cpu: str, memory: str = "") -> JsonObject:
    return {"requests": {"cpu": cpu, **({"memory": memory} if memory else {})}}


def _account(name: str) -> _Piece:
    return SERVICE_ACCOUNTS, {"metadata": {"name": name}}


def _vpc_cni(addon: str, version: str) -> list[_Piece]:
    containers = [
        _container("aws-node", "amazon-k8s-cni", version, resources=_requests("50m")),
        _container("aws-eks-nodeagent", "aws-network-policy-agent", version, resources=_requests("50m")),
    ]
    spec = {**_ON_HOST, "serviceAccountName": "aws-node"}
    return [_account("aws-node"), (DAEMON_SETS, _workload("aws-node", addon, containers, spec))]


def _kube_proxy(addon: str, version: str) -> list[_Piece]:
    containers = [_container("kube-proxy", "kube-proxy", version, resources=_requests("100m"))]
    spec = {**_ON_HOST, "serviceAccountName": "kube-proxy"}
    return [_account("kube-proxy"), (DAEMON_SETS, _workload("kube-proxy", addon, containers, spec))]


def _coredns(addon: str, version: str) -> list[_Piece]:
    probe: JsonObject = {"httpGet": {"path": "/ready", "port": 8181}, "periodSeconds": 10}
    containers = [_container("coredns", "coredns", version, resources=_requests("100m", "70Mi"), readinessProbe=probe)]
    spread: JsonObject = {
        "maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {"matchLabels": {"k8s-app": "coredns"}},
    }  # fmt: skip
    spec: JsonObject = {
        "priorityClassName": "system-cluster-critical",
        "serviceAccountName": "coredns",
        "tolerations": [
            {"key": "CriticalAddonsOnly", "operator": "Exists"},
            {"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"},
        ],
        "topologySpreadConstraints": [spread],
    }
    deployment = _workload("coredns", addon, containers, spec, replicas=2)
    ports: list[JsonObject] = [
        {"name": "dns", "port": 53, "protocol": "UDP"},
        {"name": "dns-tcp", "port": 53, "protocol": "TCP"},
    ]
    service: JsonObject = {
        "metadata": {"name": "kube-dns", "labels": {"k8s-app": "coredns"}},
        "spec": {"clusterIP": "172.20.0.10", "selector": {"k8s-app": "coredns"}, "ports": ports},
    }
    return [_account("coredns"), (DEPLOYMENTS, deployment), (SERVICES, service)]


def _pod_identity(addon: str, version: str) -> list[_Piece]:
    containers = [_container("eks-pod-identity-agent", "eks-pod-identity-agent", version)]
    return [(DAEMON_SETS, _workload("eks-pod-identity-agent", addon, containers, _ON_HOST))]


def _mountpoint(addon: str, version: str) -> list[_Piece]:
    node_spec: JsonObject = {
        "priorityClassName": "system-node-critical",
        "serviceAccountName": "s3-csi-driver-sa",
        "tolerations": [
            {"key": "CriticalAddonsOnly", "operator": "Exists"},
            {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
        ],
    }
    node = [_container("s3-plugin", "aws-s3-csi-driver", version, resources=_requests("10m", "40Mi"))]
    controller = [_container("s3-csi-controller", "aws-s3-csi-driver", version, resources=_requests("10m", "40Mi"))]
    controller_spec: JsonObject = {
        "priorityClassName": "system-cluster-critical", "serviceAccountName": "s3-csi-driver-controller-sa",
    }  # fmt: skip
    driver: JsonObject = {"metadata": {"name": "s3.csi.aws.com"}, "spec": {"attachRequired": False}}
    return [
        _account("s3-csi-driver-sa"),
        _account("s3-csi-driver-controller-sa"),
        (CSI_DRIVERS, driver),
        (DAEMON_SETS, _workload("s3-csi-node", addon, node, node_spec)),
        (DEPLOYMENTS, _workload("s3-csi-controller", addon, controller, controller_spec, replicas=1)),
    ]


_ADDONS: dict[str, Callable[[str, str], list[_Piece]]] = {
    "vpc-cni": _vpc_cni,
    "kube-proxy": _kube_proxy,
    "coredns": _coredns,
    "eks-pod-identity-agent": _pod_identity,
    "aws-mountpoint-s3-csi-driver": _mountpoint,
    **OPERATORS,
}
