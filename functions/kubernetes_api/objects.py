"""Reading and applying Kubernetes objects: server-side apply with our field manager, lists in pages."""

from __future__ import annotations

import json
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import urllib3
from pydantic import JsonValue

from functions.core import deadlines, runtime, settings
from functions.core.documents import items_of, member
from functions.core.errors import Cause, Conflict, FieldError, InvalidPageToken, Layer, StageFailed, Unavailable
from functions.kubernetes_api import ownership
from functions.kubernetes_api.connection import CONNECT_SECONDS, read_seconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from functions.kubernetes_api.connection import ClusterClient

FIELD_MANAGER: Final = "instantstart"
UNREACHABLE: Final = "K8S_UNREACHABLE"
NO_ENTRY: Final = "K8S_ACCESS_ENTRY_MISSING"
# What Kubernetes itself answers a role that it knows and that may not do this.
NO_RIGHT: Final = "Forbidden"
_PAGE: Final = 500
_ROUNDS: Final = 3
_LOG_LINES: Final = 10
_LOG_BYTES: Final = 2_000
_TAIL_LINES: Final = 200
_TAIL_BYTES: Final = 100_000

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


@dataclass(frozen=True)
class _Answer:
    """What the API server answered to which call."""

    call: str
    status: int
    document: Object


NODES = Resource("v1", "nodes", namespaced=False)
SERVICE_ACCOUNTS = Resource("v1", "serviceaccounts", namespaced=True)
SECRETS = Resource("v1", "secrets", namespaced=True)
PERSISTENT_VOLUMES = Resource("v1", "persistentvolumes", namespaced=False)
PERSISTENT_VOLUME_CLAIMS = Resource("v1", "persistentvolumeclaims", namespaced=True)
CLUSTER_ROLES = Resource("rbac.authorization.k8s.io/v1", "clusterroles", namespaced=False)
CLUSTER_ROLE_BINDINGS = Resource("rbac.authorization.k8s.io/v1", "clusterrolebindings", namespaced=False)
SERVICES = Resource("v1", "services", namespaced=True)
NAMESPACES = Resource("v1", "namespaces", namespaced=False)
INGRESSES = Resource("networking.k8s.io/v1", "ingresses", namespaced=True)
PODS = Resource("v1", "pods", namespaced=True)
EVENTS = Resource("v1", "events", namespaced=True)
ACCESS_REVIEWS = Resource("authorization.k8s.io/v1", "selfsubjectaccessreviews", namespaced=False)
CSI_DRIVERS = Resource("storage.k8s.io/v1", "csidrivers", namespaced=False)
DEPLOYMENTS = Resource("apps/v1", "deployments", namespaced=True)
DAEMON_SETS = Resource("apps/v1", "daemonsets", namespaced=True)
CUSTOM_RESOURCE_DEFINITIONS = Resource("apiextensions.k8s.io/v1", "customresourcedefinitions", namespaced=False)
VALIDATING_WEBHOOKS = Resource("admissionregistration.k8s.io/v1", "validatingwebhookconfigurations", namespaced=False)


def get(client: ClusterClient, resource: Resource, name: str, namespace: str | None = None) -> Object | None:
    """Read an object; None when there is none."""
    answer = _call(client, "GET", resource.path(namespace, name))
    return None if answer.status == HTTPStatus.NOT_FOUND else _checked(answer, f"{resource.plural}/{name}")


def listed(
    client: ClusterClient,
    resource: Resource,
    label_selector: str = "",
    namespace: str | None = None,
    field_selector: str = "",
) -> Iterator[Object]:
    """List the objects of a kind that carry labels and have fields, page by page."""
    position = ""
    selectors = {"labelSelector": label_selector, "fieldSelector": field_selector}
    while True:
        query = {"limit": str(_PAGE), **selectors, "continue": position}
        found, position = _paged(_list(client, resource, query, namespace), resource)
        yield from found
        if not position:
            return


def page(client: ClusterClient, resource: Resource, size: int, after: str | None) -> tuple[list[Object], str | None]:
    """Read one page of a kind that has no namespace, and where the next one goes on, None at the end.

    Raises InvalidPageToken when the API server has forgotten that place.
    """
    answer = _list(client, resource, {"limit": str(size), "continue": after or ""}, None)
    if answer.status == HTTPStatus.GONE:
        raise InvalidPageToken(
            f"{resource.plural}: the page token has expired in the cluster.",
            errors=[FieldError(field="next_token", message="has expired in the cluster")],
            remedy="Start again without `next_token`.",
        )
    found, position = _paged(answer, resource)
    return found, position or None


def _list(client: ClusterClient, resource: Resource, query: Mapping[str, str], namespace: str | None) -> _Answer:
    return _call(client, "GET", resource.path(namespace), {key: value for key, value in query.items() if value})


def _paged(answer: _Answer, resource: Resource) -> tuple[list[Object], str]:
    document = _checked(answer, resource.plural)
    return items_of(document, "items"), str(member(document, "metadata").get("continue") or "")


def apply(client: ClusterClient, resource: Resource, manifest: Mapping[str, JsonValue]) -> tuple[str, ...]:
    """Apply an object, full intent; give a note for each manager from whom fields of an object of ours were taken back.

    An object is ours when it carries the manifest's manager and cluster labels. Raises Conflict naming fields and
    managers when it is not, Unavailable when it does not stand still.
    """
    where = f"{resource.plural}/{member(manifest, 'metadata')['name']}"
    for _ in range(_ROUNDS):
        if (notes := _apply_once(client, resource, manifest, where)) is not None:
            return notes
    raise Unavailable(
        f"{where} changes each time it is looked at.",
        cause=Cause(layer=Layer.KUBERNETES, code="Conflict", resource=where),
        remedy=f"Find out who writes it (kubectl get {where} --show-managed-fields -o yaml), then retry the operation.",
    )


def _apply_once(
    client: ClusterClient, resource: Resource, manifest: Mapping[str, JsonValue], where: str
) -> tuple[str, ...] | None:
    """Apply an object; None when it changed between the look at its owner and the change."""
    metadata = member(manifest, "metadata")
    name, namespace = str(metadata["name"]), str(metadata.get("namespace") or "")
    answer = _patch(client, resource.path(namespace, name), manifest)
    disputes = ownership.disputes_in(answer.document) if answer.status == HTTPStatus.CONFLICT else ()
    if not disputes:
        _checked(answer, where)
        return ()
    found = get(client, resource, name, namespace)
    if found is None:
        return None
    if not ownership.is_ours(found, manifest):
        raise ownership.foreign(where, disputes)
    # Only what was judged is changed: somebody else's object may have come in its place.
    judged = {**metadata, "resourceVersion": member(found, "metadata")["resourceVersion"]}
    answer = _patch(client, resource.path(namespace, name), {**manifest, "metadata": judged}, force=True)
    if answer.status == HTTPStatus.CONFLICT:
        return None
    _checked(answer, where)
    return ownership.notes_of(where, disputes)


def _patch(client: ClusterClient, path: str, body: Mapping[str, JsonValue], force: bool = False) -> _Answer:
    query = {"fieldManager": FIELD_MANAGER, "fieldValidation": "Strict"} | ({"force": "true"} if force else {})
    return _call(client, "PATCH", path, query, body)


def delete(
    client: ClusterClient, resource: Resource, name: str, namespace: str | None = None, uid: str | None = None
) -> None:
    """Delete an object, with `uid` only the one that was seen; what is gone, or is another by now, is left alone."""
    seen: Object = {} if uid is None else {"preconditions": {"uid": uid}}
    body: Object = {"apiVersion": "v1", "kind": "DeleteOptions", **seen}
    answer = _call(client, "DELETE", resource.path(namespace, name), body=body)
    if answer.status not in (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT):
        _checked(answer, f"{resource.plural}/{name}")


def events_of(client: ClusterClient, uid: str, namespace: str) -> list[Object]:
    """List what was reported about an object."""
    return list(listed(client, EVENTS, namespace=namespace, field_selector=f"involvedObject.uid={uid}"))


def log_of(client: ClusterClient, pod: str, namespace: str) -> str:
    """Read the last lines of a pod's log; empty when the kubelet does not give them."""
    query = {"tailLines": str(_LOG_LINES), "limitBytes": str(_LOG_BYTES)}
    status, body = _send(client, "GET", PODS.path(namespace, pod) + "/log", query)
    return body.decode(errors="replace") if status == HTTPStatus.OK else ""


def tail_of(client: ClusterClient, pod: Mapping[str, JsonValue], container: str, previous: bool) -> str:
    """Read the end of what a container printed, in its present run or the one before; empty when there is none."""
    metadata = member(pod, "metadata")
    query = {"container": container, "tailLines": str(_TAIL_LINES), "limitBytes": str(_TAIL_BYTES)}
    query |= {"previous": "true"} if previous else {}
    path = PODS.path(str(metadata.get("namespace")), str(metadata.get("name"))) + "/log"
    status, body = _send(client, "GET", path, query)
    return body.decode(errors="replace") if status == HTTPStatus.OK else ""


def create(client: ClusterClient, resource: Resource, manifest: Mapping[str, JsonValue]) -> Object:
    """Create an object that is answered and not stored, such as a review, and give the answer."""
    return _checked(_call(client, "POST", resource.path(), body=manifest), resource.plural)


def managers_of(document: Mapping[str, JsonValue], *path: str) -> frozenset[str]:
    """Name the field managers that own a field, by its path through the object's members."""
    owners = set()
    for entry in items_of(member(document, "metadata"), "managedFields"):
        fields = member(entry, "fieldsV1")
        for name in path[:-1]:
            fields = member(fields, f"f:{name}")
        if f"f:{path[-1]}" in fields:
            owners.add(str(entry.get("manager") or ""))
    return frozenset(owners)


def _call(
    client: ClusterClient,
    method: str,
    path: str,
    query: Mapping[str, str] | None = None,
    body: Mapping[str, JsonValue] | None = None,
) -> _Answer:
    status, answer = _send(client, method, path, query, body)
    if status == HTTPStatus.UNAUTHORIZED:
        # A token may expire early; a new one that is refused too has another reason.
        client.sign_in()
        status, answer = _send(client, method, path, query, body)
    if status == HTTPStatus.UNAUTHORIZED:
        raise _not_let_in(client, f"{method} {path}", path)
    return _Answer(f"{method} {path}", status, _document(answer))


def _send(
    client: ClusterClient,
    method: str,
    path: str,
    query: Mapping[str, str] | None = None,
    body: Mapping[str, JsonValue] | None = None,
) -> tuple[int, bytes]:
    deadlines.check(runtime.now())
    headers = {"Accept": "application/json"}
    if body is not None:
        headers["Content-Type"] = "application/apply-patch+yaml" if method == "PATCH" else "application/json"
    request = client.param_serialize(
        method,
        path,
        query_params=list((query or {}).items()),
        header_params=headers,
        body=dict(body) if body is not None else None,
        auth_settings=["BearerToken"],
    )
    try:
        response = client.call_api(*request, _request_timeout=(CONNECT_SECONDS, read_seconds()))
        return response.status, response.read()  # type: ignore[no-untyped-call]  # the package types only half of it
    except urllib3.exceptions.HTTPError as error:
        raise Unavailable(
            f"The API server did not answer {method} {path}: {error}",
            cause=_cause(f"{method} {path}", UNREACHABLE),
            remedy="Retry the operation; check that the cluster's endpoint can be reached.",
        ) from error


def _document(body: bytes) -> Object:
    """Read an answer; what is no JSON object (a proxy's or an overloaded server's plain text) becomes a message."""
    try:
        document = json.loads(body)
    except ValueError:
        document = None
    return document if isinstance(document, dict) else {"message": body.decode(errors="replace")[:200]}


def _cause(call: str, code: str, resource: str | None = None) -> Cause:
    return Cause(layer=Layer.KUBERNETES, service="kubernetes", api_call=call, code=code, resource=resource)


def _checked(answer: _Answer, resource: str) -> Object:
    status, document = answer.status, answer.document
    if status < HTTPStatus.BAD_REQUEST:
        return document
    reason, message = str(document.get("reason") or status), str(document.get("message") or "no message")
    cause = _cause(answer.call, reason, resource)
    if status == HTTPStatus.CONFLICT:
        raise Conflict(f"{resource}: {message}", cause=cause, remedy="Undo what the message names, then retry.")
    if status == HTTPStatus.FORBIDDEN:
        remedy = "Let the dependencies phase grant the control plane's role its rights again, then retry."
        raise StageFailed(f"{resource}: {message}", cause=cause, remedy=remedy)
    if status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise Unavailable(f"{resource}: {message}", cause=cause, remedy="Retry the operation in a few minutes.")
    raise StageFailed(f"{resource}: {message}", cause=cause, remedy="Correct what the message names, then retry.")


def _not_let_in(client: ClusterClient, call: str, path: str) -> StageFailed:
    role = settings.required(client.role)
    return StageFailed(
        f"{path}: the cluster does not let {role} in, even with a new token.",
        cause=_cause(call, NO_ENTRY, path),
        remedy=f"Give {role} an access entry on the EKS cluster (the dependencies phase does), then retry.",
    )
