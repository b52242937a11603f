"""Speaking to the API server under test."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

from infra.local.kubernetes.documents import JsonObject, mapping

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse

kubernetes: Any = pytest.importorskip("kubernetes", reason="the kubernetes package is not installed")

JSON, MERGE, STRATEGIC, JSON_PATCH, APPLY = (
    "application/json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/json-patch+json",
    "application/apply-patch+yaml",
)


@dataclass
class Answer:
    """What the server said."""

    status: int
    document: JsonObject
    headers: dict[str, str] = field(default_factory=dict)


class Cluster:
    """An API server, spoken to in plain HTTPS as a cluster administrator or with another token."""

    def __init__(self, kubeconfig: Path) -> None:
        self._client = kubernetes.config.new_client_from_config(str(kubeconfig))
        self._host = self._client.configuration.host

    def raw(
        self, method: str, path: str, body: object = None, kind: str = JSON, token: str = "", **query: str
    ) -> BaseHTTPResponse:
        settings = self._client.configuration.auth_settings()
        headers = {"content-type": kind, "accept": JSON, "user-agent": "contract/1"}
        for setting in settings.values():
            headers[setting["key"]] = setting["value"]
        if token:
            headers["authorization"] = f"Bearer {token}"
        response: BaseHTTPResponse = self._client.rest_client.pool_manager.request(
            method,
            f"{self._host}{path}?{urlencode(query)}",
            body=body if isinstance(body, bytes | None) else json.dumps(body).encode(),
            headers=headers,
            preload_content="watch" not in query and "follow" not in query,
        )
        return response

    def call(
        self, method: str, path: str, body: object = None, kind: str = JSON, token: str = "", **query: str
    ) -> Answer:
        response = self.raw(method, path, body, kind, token, **query)
        try:
            document = mapping(json.loads(response.data))
        except ValueError:
            document = {"text": response.data.decode()}
        return Answer(response.status, document, {key.lower(): value for key, value in response.headers.items()})

    def ask(
        self, method: str, path: str, body: object = None, kind: str = JSON, token: str = "", **query: str
    ) -> JsonObject:
        """The document of an answer that must not be a failure."""
        answer = self.call(method, path, body, kind, token, **query)
        assert answer.status < 300, answer.document
        return answer.document

    def refused(
        self, method: str, path: str, body: object = None, kind: str = JSON, token: str = "", **query: str
    ) -> JsonObject:
        """The Status of an answer that must be a failure."""
        answer = self.call(method, path, body, kind, token, **query)
        assert answer.document.get("status") == "Failure", answer.document
        assert answer.document["code"] == answer.status
        return answer.document

    def events(self, path: str, count: int, **query: str) -> list[tuple[str, JsonObject]]:
        """The first events of a watch."""
        response = self.raw("GET", path, watch="true", timeoutSeconds="10", **query)
        found: list[tuple[str, JsonObject]] = []
        pending = b""
        for chunk in response.stream(1):
            pending += chunk
            if pending.endswith(b"\n") and pending.strip():
                event = json.loads(pending)
                found.append((event["type"], mapping(event["object"])))
                pending = b""
            if len(found) == count:
                break
        response.close()
        return found

    def close(self) -> None:
        self._client.rest_client.pool_manager.clear()


@dataclass
class Space:
    """A namespace of one test and the paths in it."""

    cluster: Cluster
    name: str

    def path(self, plural: str, *rest: str, group: str = "") -> str:
        prefix = f"/apis/{group}" if group else "/api/v1"
        return "/".join((prefix, "namespaces", self.name, plural, *rest))


def new_space(cluster: Cluster) -> Iterator[Space]:
    name = f"contract-{uuid.uuid4().hex[:10]}"
    cluster.ask("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
    yield Space(cluster, name)
    cluster.call("DELETE", f"/api/v1/namespaces/{name}")


def widget_definition(group: str) -> JsonObject:
    spec = {
        "type": "object",
        "required": ["size"],
        "properties": {
            "size": {"type": "integer", "minimum": 1, "maximum": 9},
            "color": {"type": "string", "enum": ["red", "blue"], "default": "red"},
            "code": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 5, "minLength": 2},
            "replicas": {"type": "integer", "default": 1},
            "port": {"x-kubernetes-int-or-string": True},
            "ratio": {"type": "number", "multipleOf": 0.5},
            "on": {"type": "string", "format": "date-time"},
            "maybe": {"type": "string", "nullable": True},
            "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "tags": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set", "maxItems": 3},
            "parts": {
                "type": "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name"],
                "items": {
                    "type": "object",
                    "required": ["name"],
                    "properties": {"name": {"type": "string"}, "weight": {"type": "integer", "default": 1}},
                },
            },
            "plain": {"type": "array", "minItems": 1, "items": {"type": "string"}},
            "either": {
                "type": "object",
                "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
            },
        },
    }
    status = {"type": "object", "properties": {"phase": {"type": "string"}, "replicas": {"type": "integer"}}}
    schema = {"type": "object", "required": ["spec"], "properties": {"spec": spec, "status": status}}
    scale = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
    columns = [
        {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
        {"name": "Part", "type": "string", "jsonPath": ".spec.parts[0].name"},
        {"name": "Since", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
    ]
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}, "scale": scale},
        "additionalPrinterColumns": columns,
    }
    older = {**version, "name": "v1beta1", "storage": False}
    names = {"plural": "widgets", "singular": "widget", "kind": "Widget", "shortNames": ["wd"]}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"widgets.{group}"},
        "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": [version, older]},
    }
