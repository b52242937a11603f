"""Objects that an API server refuses: the rule, what is sent where, and the answer's code, reason and field."""

from __future__ import annotations

from typing import NamedTuple

from infra.local.kubernetes.documents import JsonObject
from tests.conformance.contract.api import samples as valid


class Bad(NamedTuple):
    """One invalid object; `path` is its plural with its group, `field` the broken one that the answer names."""

    rule: str
    path: str
    document: JsonObject
    field: str = ""
    code: int = 422
    reason: str = "Invalid"


APPS, BATCH, RBAC, STORAGE = "apps/v1", "batch/v1", "rbac.authorization.k8s.io/v1", "storage.k8s.io/v1"
MAIN = "spec.containers[0]"
LONG = "x" * 64


def _named(document: JsonObject, **metadata: object) -> JsonObject:
    known = document["metadata"]
    assert isinstance(known, dict)
    return {**document, "metadata": {**known, **metadata}}


def _container(**fields: object) -> JsonObject:
    return valid.pod("p", valid.container(**fields))


def _resources(**parts: object) -> JsonObject:
    return _container(resources=parts)


CM = valid.config_map("a")
GPU = "nvidia.com/gpu"
METADATA = [
    Bad("a name is lower case", "configmaps", _named(CM, name="Upper"), "metadata.name"),
    Bad("a name has no underscore", "configmaps", _named(CM, name="a_b"), "metadata.name"),
    Bad("a name is at most 253 long", "configmaps", _named(CM, name="a" * 254), "metadata.name"),
    Bad("a name is required", "configmaps", {"metadata": {}}, "metadata.name"),
    Bad("a service name starts with a letter", "services", valid.service("1a"), "metadata.name"),
    Bad("a label value has no space", "configmaps", _named(CM, labels={"a": "b c"}), "metadata.labels"),
    Bad("a label value is at most 63 long", "configmaps", _named(CM, labels={"a": LONG}), "metadata.labels"),
    Bad("a label key has a proper prefix", "configmaps", _named(CM, labels={"A_/b": "c"}), "metadata.labels"),
    Bad("a label key has a name", "configmaps", _named(CM, labels={"example.com/": "c"}), "metadata.labels"),
    Bad("an annotation key is qualified", "configmaps", _named(CM, annotations={"a b": "c"}), "metadata.annotations"),
    Bad("annotations hold 256 KiB", "configmaps", _named(CM, annotations={"a": "x" * 262145}), "metadata.annotations"),
    Bad("a finalizer is qualified", "configmaps", _named(CM, finalizers=["a b"]), "metadata.finalizers[0]"),
    Bad(
        "an owner has a uid",
        "configmaps",
        _named(CM, ownerReferences=[{"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": ""}]),
        "metadata.ownerReferences[0].uid",
    ),
    Bad("a namespace label is a string", "configmaps", _named(CM, labels={"a": 1}), "", 400, "BadRequest"),
]
PODS = [
    Bad("a pod has containers", "pods", {**valid.pod(), "spec": {}}, "spec.containers"),
    Bad("a container has an image", "pods", valid.pod("p", {"name": "a"}), f"{MAIN}.image"),
    Bad("a container name is a label", "pods", _container(name="A.b"), f"{MAIN}.name"),
    Bad("a container has a name", "pods", valid.pod("p", {"image": "i"}), f"{MAIN}.name"),
    Bad(
        "container names differ",
        "pods",
        valid.pod("p", valid.container(), valid.container()),
        "spec.containers[1].name",
    ),
    Bad("a restart policy is known", "pods", valid.pod(restartPolicy="Sometimes"), "spec.restartPolicy"),
    Bad("a pull policy is known", "pods", _container(imagePullPolicy="Maybe"), f"{MAIN}.imagePullPolicy"),
    Bad(
        "a port is below 65536", "pods", _container(ports=[{"containerPort": 70000}]), f"{MAIN}.ports[0].containerPort"
    ),
    Bad(
        "a protocol is known",
        "pods",
        _container(ports=[{"containerPort": 1, "protocol": "HTTP"}]),
        f"{MAIN}.ports[0].protocol",
    ),
    Bad(
        "a port name is at most 15 long",
        "pods",
        _container(ports=[{"containerPort": 1, "name": "x" * 16}]),
        f"{MAIN}.ports[0].name",
    ),
    Bad(
        "port names differ",
        "pods",
        _container(ports=[{"containerPort": 1, "name": "a"}, {"containerPort": 2, "name": "a"}]),
        f"{MAIN}.ports[1].name",
    ),
    Bad("an environment variable has a name", "pods", _container(env=[{"value": "x"}]), f"{MAIN}.env[0].name"),
    Bad("an environment name has no equals sign", "pods", _container(env=[{"name": "a=b"}]), f"{MAIN}.env[0].name"),
    Bad(
        "a value and a source exclude each other",
        "pods",
        _container(env=[{"name": "A", "value": "x", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]),
        f"{MAIN}.env[0].valueFrom",
    ),
    Bad(
        "a mount names a volume",
        "pods",
        _container(volumeMounts=[{"name": "v", "mountPath": "/v"}]),
        f"{MAIN}.volumeMounts[0].name",
    ),
    Bad(
        "mount paths differ",
        "pods",
        valid.pod(
            "p",
            valid.container(volumeMounts=[{"name": "v", "mountPath": "/v"}] * 2),
            volumes=[{"name": "v", "emptyDir": {}}],
        ),
        f"{MAIN}.volumeMounts[1].mountPath",
    ),
    Bad("volume names differ", "pods", valid.pod(volumes=[{"name": "v", "emptyDir": {}}] * 2), "spec.volumes[1].name"),
    Bad(
        "a volume has one source",
        "pods",
        valid.pod(volumes=[{"name": "v", "emptyDir": {}, "hostPath": {"path": "/"}}]),
        "spec.volumes[0].hostPath",
    ),
    Bad("a probe has a handler", "pods", _container(livenessProbe={"periodSeconds": 1}), f"{MAIN}.livenessProbe"),
    Bad(
        "a liveness probe succeeds once",
        "pods",
        _container(livenessProbe={"tcpSocket": {"port": 1}, "successThreshold": 2}),
        f"{MAIN}.livenessProbe.successThreshold",
    ),
    Bad(
        "a request is within its limit",
        "pods",
        _resources(requests={"cpu": "2"}, limits={"cpu": "1"}),
        f"{MAIN}.resources.requests",
    ),
    Bad(
        "a device request is whole",
        "pods",
        _resources(requests={GPU: "500m"}, limits={GPU: "500m"}),
        f"{MAIN}.resources.requests[{GPU}]",
    ),
    Bad("a device request has its limit", "pods", _resources(requests={GPU: "1"}), f"{MAIN}.resources.limits"),
    Bad(
        "a resource name is standard or qualified",
        "pods",
        _resources(limits={"gpu": "1"}),
        f"{MAIN}.resources.limits[gpu]",
    ),
    Bad("a quantity is not negative", "pods", _resources(limits={"cpu": "-1"}), f"{MAIN}.resources.limits[cpu]"),
    Bad("a quantity can be read", "pods", _resources(limits={"memory": "lots"}), "", 400, "BadRequest"),
    Bad(
        "a toleration's operator is known",
        "pods",
        valid.pod(tolerations=[{"key": "a", "operator": "Is"}]),
        "spec.tolerations[0].operator",
    ),
    Bad("a service account exists", "pods", valid.pod(serviceAccountName="ghost"), "", 403, "Forbidden"),
    Bad("a priority class exists", "pods", valid.pod(priorityClassName="ghost"), "", 403, "Forbidden"),
    Bad("a list is not a string", "pods", {**valid.pod(), "spec": {"containers": "none"}}, "", 400, "BadRequest"),
]
WORKLOADS = [
    Bad("a deployment has a selector", f"{APPS}:deployments", valid.deployment(selector=None), "spec.selector"),
    Bad(
        "a selector matches the template",
        f"{APPS}:deployments",
        valid.deployment(selector={"matchLabels": {"app": "other"}}),
        "spec.template.metadata.labels",
    ),
    Bad("a selector is not empty", f"{APPS}:deployments", valid.deployment(selector={}), "spec.selector"),
    Bad("replicas are not negative", f"{APPS}:deployments", valid.deployment(replicas=-1), "spec.replicas"),
    Bad("replicas are a number", f"{APPS}:deployments", valid.deployment(replicas="two"), "", 400, "BadRequest"),
    Bad(
        "a template has containers",
        f"{APPS}:deployments",
        valid.deployment(template={"containers": []}),
        "spec.template.spec.containers",
    ),
    Bad(
        "a deployment's pods always restart",
        f"{APPS}:deployments",
        valid.deployment(template={"containers": [valid.container()], "restartPolicy": "Never"}),
        "spec.template.spec.restartPolicy",
    ),
    Bad(
        "a strategy is known", f"{APPS}:deployments", valid.deployment(strategy={"type": "Fast"}), "spec.strategy.type"
    ),
    Bad(
        "recreate takes no rolling update",
        f"{APPS}:deployments",
        valid.deployment(strategy={"type": "Recreate", "rollingUpdate": {"maxSurge": 1}}),
        "spec.strategy.rollingUpdate",
    ),
    Bad(
        "a rolling update can move",
        f"{APPS}:deployments",
        valid.deployment(strategy={"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}}),
        "spec.strategy.rollingUpdate.maxUnavailable",
    ),
    Bad(
        "a daemon set has a selector", f"{APPS}:daemonsets", valid.workload("DaemonSet", selector=None), "spec.selector"
    ),
    Bad(
        "a job's pods do not always restart",
        f"{BATCH}:jobs",
        valid.job(template={"spec": {"containers": [valid.container()], "restartPolicy": "Always"}}),
        "spec.template.spec.restartPolicy",
    ),
    Bad(
        "a job names a restart policy",
        f"{BATCH}:jobs",
        valid.job(template={"spec": {"containers": [valid.container()]}}),
        "spec.template.spec.restartPolicy",
    ),
    Bad("parallelism is not negative", f"{BATCH}:jobs", valid.job(parallelism=-1), "spec.parallelism"),
    Bad(
        "a schedule has five fields",
        f"{BATCH}:cronjobs",
        {"metadata": {"name": "c"}, "spec": {"schedule": "often", "jobTemplate": {"spec": valid.job()["spec"]}}},
        "spec.schedule",
    ),
]
OTHERS = [
    Bad("a service has ports", "services", valid.service(ports=[]), "spec.ports"),
    Bad("a service port is in range", "services", valid.service(ports=[{"port": 70000}]), "spec.ports[0].port"),
    Bad("several ports have names", "services", valid.service(ports=[{"port": 1}, {"port": 2}]), "spec.ports[0].name"),
    Bad("a service type is known", "services", valid.service(type="Public"), "spec.type"),
    Bad(
        "a node port is in its range",
        "services",
        valid.service(type="NodePort", ports=[{"port": 1, "nodePort": 80}]),
        "spec.ports[0].nodePort",
    ),
    Bad("a cluster address is one", "services", valid.service(clusterIP="here"), "spec.clusterIPs[0]"),
    Bad("a config key is one", "configmaps", valid.config_map("a", **{"a b": "c"}), "data[a b]"),
    Bad("a config map holds a mebibyte", "configmaps", valid.config_map("a", big="x" * 1048577), "[]"),
    Bad("config values are strings", "configmaps", {**CM, "data": {"a": 1}}, "", 400, "BadRequest"),
    Bad("secret data is base64", "secrets", valid.secret(data={"a": "*"}), "", 400, "BadRequest"),
    Bad(
        "a TLS secret has both parts",
        "secrets",
        valid.secret(type="kubernetes.io/tls", data={"tls.crt": ""}),
        "data[tls.key]",
    ),
    Bad("a claim has an access mode", "persistentvolumeclaims", valid.claim(accessModes=[]), "spec.accessModes"),
    Bad("an access mode is known", "persistentvolumeclaims", valid.claim(accessModes=["Any"]), "spec.accessModes"),
    Bad("a claim asks for storage", "persistentvolumeclaims", valid.claim(resources={}), "spec.resources[storage]"),
    Bad("a volume has a capacity", "cluster:persistentvolumes", valid.volume("v", capacity={}), "spec.capacity"),
    Bad("a volume has a source", "cluster:persistentvolumes", valid.volume("v", csi=None), "spec"),
    Bad(
        "a CSI volume has a handle",
        "cluster:persistentvolumes",
        valid.volume("v", csi={"driver": "x.example"}),
        "spec.csi.volumeHandle",
    ),
    Bad(
        "a storage class has a provisioner",
        f"cluster:{STORAGE}:storageclasses",
        {"metadata": {"name": "s"}},
        "provisioner",
    ),
    Bad(
        "a rule has verbs",
        f"{RBAC}:roles",
        valid.role({"apiGroups": [""], "resources": ["pods"], "verbs": []}),
        "rules[0].verbs",
    ),
    Bad(
        "a rule names resources",
        f"{RBAC}:roles",
        valid.role({"apiGroups": [""], "verbs": ["get"]}),
        "rules[0].resources",
    ),
    Bad(
        "a binding names a kind of role",
        f"{RBAC}:rolebindings",
        valid.binding(roleRef={"kind": "Rule", "name": "r", "apiGroup": "rbac.authorization.k8s.io"}),
        "roleRef.kind",
    ),
    Bad(
        "a service account subject has a namespace",
        f"{RBAC}:rolebindings",
        valid.binding(subjects=[{"kind": "ServiceAccount", "name": "a"}]),
        "subjects[0].namespace",
    ),
]
BUILT_IN = [*METADATA, *PODS, *WORKLOADS, *OTHERS]

WIDGETS: list[tuple[str, JsonObject, str]] = [
    ("a required field is there", {"size": None}, "spec.size"),
    ("a type is kept", {"size": "one"}, "spec.size"),
    ("a minimum holds", {"size": 0}, "spec.size"),
    ("a maximum holds", {"size": 10}, "spec.size"),
    ("an enum holds", {"color": "green"}, "spec.color"),
    ("a pattern holds", {"code": "ABC"}, "spec.code"),
    ("a longest length holds", {"code": "abcdef"}, "spec.code"),
    ("a shortest length holds", {"code": "a"}, "spec.code"),
    ("a multiple holds", {"ratio": 0.3}, "spec.ratio"),
    ("a format holds", {"on": "yesterday"}, "spec.on"),
    ("int-or-string takes no boolean", {"port": True}, "spec.port"),
    ("additional properties keep their type", {"labels": {"a": 1}}, "spec.labels.a"),
    ("a set has no double", {"tags": ["a", "a"]}, "spec.tags[1]"),
    ("a list has at most its items", {"tags": ["a", "b", "c", "d"]}, "spec.tags"),
    ("a list has at least its items", {"plain": []}, "spec.plain"),
    ("a keyed list has no double", {"parts": [{"name": "a"}, {"name": "a"}]}, "spec.parts[1]"),
    ("an item's key is required", {"parts": [{"weight": 1}]}, "spec.parts[0].name"),
    ("one of two holds", {"either": {"a": "x", "b": "y"}}, "spec.either"),
]
