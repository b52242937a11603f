"""What the add-ons that bring operators put into a cluster, in namespaces of their own."""

from __future__ import annotations

from collections.abc import Callable

from infra.local.kubernetes.documents import JsonObject
from infra.local.kubernetes.resources import (
    BUILT_IN,
    CUSTOM_RESOURCE_DEFINITIONS,
    DEPLOYMENTS,
    SERVICE_ACCOUNTS,
    Resource,
)

_REGISTRY = "123456789012.dkr.ecr.us-west-2.amazonaws.com/eks"
_Piece = tuple[Resource, JsonObject]
_WEBHOOKS = next(resource for resource in BUILT_IN if resource.plural == "validatingwebhookconfigurations")


def _account(namespace: str, name: str) -> _Piece:
    return SERVICE_ACCOUNTS, {"metadata": {"name": name, "namespace": namespace}}


def _deployment(addon: str, namespace: str, name: str, labels: JsonObject, container: JsonObject) -> _Piece:
    template: JsonObject = {
        "metadata": {"labels": {**labels, "eks.amazonaws.com/addon": addon}},
        "spec": {"serviceAccountName": name, "containers": [container]},
    }
    spec: JsonObject = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    return DEPLOYMENTS, {"metadata": {"name": name, "namespace": namespace, "labels": labels}, "spec": spec}


def _definition(group: str, plural: str, kind: str) -> _Piece:
    schema: JsonObject = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    spec: JsonObject = {
        "group": group,
        "names": {"plural": plural, "kind": kind, "singular": kind.lower(), "listKind": f"{kind}List"},
        "scope": "Namespaced",
        "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
    }
    return CUSTOM_RESOURCE_DEFINITIONS, {"metadata": {"name": f"{plural}.{group}"}, "spec": spec}


def _cert_manager(addon: str, version: str) -> list[_Piece]:
    namespace = "cert-manager"
    pieces = [_definition(namespace + ".io", "certificates", "Certificate")]
    pieces.append(_definition(namespace + ".io", "issuers", "Issuer"))
    for part, name in (("controller", "cert-manager"), ("webhook", "webhook"), ("cainjector", "cainjector")):
        full = name if name == namespace else f"{namespace}-{name}"
        labels: JsonObject = {
            "app.kubernetes.io/name": name, "app.kubernetes.io/instance": namespace,
            "app.kubernetes.io/component": part,
        }  # fmt: skip
        image = f"{_REGISTRY}/cert-manager-{part}:{version or 'latest'}"
        container: JsonObject = {"name": f"{namespace}-{part}", "image": image}
        pieces += [_account(namespace, full), _deployment(addon, namespace, full, labels, container)]
    service: JsonObject = {"namespace": namespace, "name": "cert-manager-webhook", "path": "/validate"}
    webhook: JsonObject = {
        "name": "webhook.cert-manager.io", "clientConfig": {"service": service}, "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    }  # fmt: skip
    return [*pieces, (_WEBHOOKS, {"metadata": {"name": "cert-manager-webhook"}, "webhooks": [webhook]})]


def _training_operator(addon: str, version: str) -> list[_Piece]:
    namespace, name = "aws-hyperpod", "hp-training-operator-controller-manager"
    probe: JsonObject = {"httpGet": {"path": "/healthz", "port": 8081}, "periodSeconds": 10, "failureThreshold": 6}
    container: JsonObject = {
        "name": "manager", "image": f"{_REGISTRY}/hp-training-operator:{version or 'latest'}", "startupProbe": probe,
    }  # fmt: skip
    labels: JsonObject = {"app.kubernetes.io/name": "hp-training-operator"}
    return [_account(namespace, name), _deployment(addon, namespace, name, labels, container)]


OPERATORS: dict[str, Callable[[str, str], list[_Piece]]] = {
    "cert-manager": _cert_manager,
    "amazon-sagemaker-hyperpod-training-operator": _training_operator,
}
