"""Reading and applying Kubernetes objects: server-side apply with our field manager, lists in pages."""

from __future__ import annotations

import json
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import urllib3
from pydantic import JsonValue

from functions.core.errors import Cause, Conflict, Layer, StageFailed, Unavailable
from functions.kubernetes_api.connection import CONNECT_SECONDS, READ_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kubernetes.client import ApiClient

FIELD_MANAGER: Final = "instantstart"
_PAGE: Final = 500

Object = dict[str, JsonValue]


@dataclass(frozen=True)
class Resource:
    """A kind of object as the API serves it."""

    api_version: str
    plural: str
    namespaced: bool

    def path(self, namespace: str | None = None, name: str | None = None) -> str:
        """Give the path of the collection, or of one object."""
        root = "/api/v1" if self.api_version == "v1" else f"/apis/{self.api_version}"
        place = f"/namespaces/{quote(namespace)}" if self.namespaced and namespace else ""
        return f"{root}{place}/{self.plural}" + (f"/{quote(name)}" if name else "")


NODES = Resource("v1", "nodes", namespaced=False)
SERVICE_ACCOUNTS = Resource("v1", "serviceaccounts", namespaced=True)
SECRETS = Resource("v1", "secrets", namespaced=True)
PERSISTENT_VOLUMES = Resource("v1", "persistentvolumes", namespaced=False)
PERSISTENT_VOLUME_CLAIMS = Resource("v1", "persistentvolumeclaims", namespaced=True)


def get(client: ApiClient, resource: Resource, name: str, namespace: str | None = None) -> Object | None:
    """Read an object; None when there is none."""
    status, answer = _call(client, "GET", resource.path(namespace, name))
    if status == HTTPStatus.NOT_FOUND:
        return None
    return _checked(status, answer, f"{resource.plural}/{name}")


def listed(
    client: ApiClient, resource: Resource, label_selector: str = "", namespace: str | None = None
) -> Iterator[Object]:
    """List the objects of a kind that carry labels, page by page."""
    position = ""
    while True:
        query = {"limit": str(_PAGE), "labelSelector": label_selector, "continue": position}
        given = {key: value for key, value in query.items() if value}
        page = _checked(*_call(client, "GET", resource.path(namespace), given), resource.plural)
        items = page.get("items")
        yield from (item for item in (items if isinstance(items, list) else []) if isinstance(item, dict))
        position = str(member(page, "metadata").get("continue") or "")
        if not position:
            return


def apply(client: ApiClient, resource: Resource, manifest: Mapping[str, JsonValue]) -> Object:
    """Apply an object of ours, full intent; another manager's fields are not taken over.

    Raises Conflict naming the fields that another manager owns.
    """
    metadata = member(manifest, "metadata")
    name, namespace = str(metadata["name"]), str(metadata.get("namespace") or "")
    query = {"fieldManager": FIELD_MANAGER, "fieldValidation": "Strict"}
    answer = _call(client, "PATCH", resource.path(namespace, name), query, manifest)
    return _checked(*answer, f"{resource.plural}/{name}")


def delete(client: ApiClient, resource: Resource, name: str, namespace: str | None = None) -> None:
    """Delete an object; one that is gone already is as good."""
    status, answer = _call(client, "DELETE", resource.path(namespace, name))
    if status != HTTPStatus.NOT_FOUND:
        _checked(status, answer, f"{resource.plural}/{name}")


def member(document: Mapping[str, JsonValue], name: str) -> Object:
    """Give an object inside a document; empty when it is absent."""
    value = document.get(name)
    return value if isinstance(value, dict) else {}


def _call(
    client: ApiClient,
    method: str,
    path: str,
    query: Mapping[str, str] | None = None,
    body: Mapping[str, JsonValue] | None = None,
) -> tuple[int, Object]:
    headers = {"Accept": "application/json"}
    if body is not None:
        headers["Content-Type"] = "application/apply-patch+yaml"
    request = client.param_serialize(
        method,
        path,
        query_params=list((query or {}).items()),
        header_params=headers,
        body=dict(body) if body is not None else None,
        auth_settings=["BearerToken"],
    )
    try:
        response = client.call_api(*request, _request_timeout=(CONNECT_SECONDS, READ_SECONDS))
        return response.status, _document(response.read())  # type: ignore[no-untyped-call]  # the package types only half of it
    except urllib3.exceptions.HTTPError as error:
        raise Unavailable(
            f"The API server did not answer {method} {path}: {error}",
            cause=Cause(layer=Layer.KUBERNETES, api_call=f"{method} {path}", code=type(error).__name__),
            remedy="Retry the operation; check that the cluster's endpoint can be reached.",
        ) from error


def _document(body: bytes) -> Object:
    """Read an answer; what is no JSON object (a proxy's or an overloaded server's plain text) becomes a message."""
    try:
        document = json.loads(body)
    except ValueError:
        document = None
    return document if isinstance(document, dict) else {"message": body.decode(errors="replace")[:200]}


def _checked(status: int, answer: Object, resource: str) -> Object:
    if status < HTTPStatus.BAD_REQUEST:
        return answer
    reason, message = str(answer.get("reason") or status), str(answer.get("message") or "no message")
    cause = Cause(layer=Layer.KUBERNETES, code=reason, resource=resource)
    if status == HTTPStatus.CONFLICT:
        raise Conflict(
            f"{resource}: {message}", cause=cause, remedy="Give the fields back, or remove the object that is not ours."
        )
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        remedy = "Check the access entry of the control plane's operator role on the EKS cluster, then retry."
        raise StageFailed(f"{resource}: {message}", cause=cause, remedy=remedy)
    if status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise Unavailable(f"{resource}: {message}", cause=cause, remedy="Retry the operation in a few minutes.")
    raise StageFailed(f"{resource}: {message}", cause=cause, remedy="Correct what the message names, then retry.")
