"""Valid objects that the contract tests start from."""

from __future__ import annotations

from infra.local.kubernetes.documents import JsonObject


def config_map(name: str, **data: str) -> JsonObject:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": dict(data)}


def container(**fields: object) -> JsonObject:
    return {"name": "main", "image": "registry.example/app:1", **fields}


def pod(name: str = "p", *containers: JsonObject, **spec: object) -> JsonObject:
    listed = list(containers) or [container()]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": listed, "nodeSelector": {"contract.example/never": "true"}, **spec},
    }


def workload(kind: str, name: str = "w", template: JsonObject | None = None, **spec: object) -> JsonObject:
    labels = {"app": name}
    body = {"nodeSelector": {"contract.example/never": "true"}, **(template or {"containers": [container()]})}
    written = {"metadata": {"labels": labels}, "spec": body}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": labels}, "template": written, **spec},
    }


def deployment(name: str = "w", template: JsonObject | None = None, **spec: object) -> JsonObject:
    return workload("Deployment", name, template, **{"replicas": 0, **spec})


def job(name: str = "j", **spec: object) -> JsonObject:
    body = {"restartPolicy": "Never", "containers": [container()]}
    template = {"spec": {**body, "nodeSelector": {"contract.example/never": "true"}}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"template": template, **spec},
    }


def service(name: str = "s", **spec: object) -> JsonObject:
    ports = [{"port": 80}]
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": {"ports": ports, **spec}}


def claim(name: str = "c", **spec: object) -> JsonObject:
    asked = {"accessModes": ["ReadWriteMany"], "storageClassName": "none",
             "resources": {"requests": {"storage": "1Gi"}}}  # fmt: skip
    metadata = {"name": name}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": {**asked, **spec}}


def volume(name: str, **spec: object) -> JsonObject:
    offered = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteMany"],
               "csi": {"driver": "x.example", "volumeHandle": "h"}, "storageClassName": "none"}  # fmt: skip
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": {**offered, **spec}}


def secret(name: str = "s", **fields: object) -> JsonObject:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, **fields}


def role(*rules: JsonObject) -> JsonObject:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": {"name": "r"},
        "rules": list(rules),
    }


def binding(**fields: object) -> JsonObject:
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"}
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": {"name": "b"},
        "roleRef": reference,
        "subjects": [{"kind": "User", "name": "u", "apiGroup": "rbac.authorization.k8s.io"}],
        **fields,
    }


def widget(group: str, name: str = "w", **spec: object) -> JsonObject:
    body = {"size": 1, **spec}
    return {"apiVersion": f"{group}/v1", "kind": "Widget", "metadata": {"name": name}, "spec": body}
