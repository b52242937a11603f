"""The API server of one simulated cluster: requests in, responses out, no sockets."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

from infra.local.kubernetes import subresources, verbs
from infra.local.kubernetes.call import Call, route
from infra.local.kubernetes.controllers import CONTROLLERS, bootstrap
from infra.local.kubernetes.discovery import discover
from infra.local.kubernetes.errors import MethodNotAllowed, StatusError, Unauthorized
from infra.local.kubernetes.identity import Identity
from infra.local.kubernetes.resources import ACCESS_REVIEWS, SELF_REVIEWS
from infra.local.kubernetes.reviews import review
from infra.local.kubernetes.store import Store
from infra.local.kubernetes.watch import watch
from infra.local.messages import HttpRequest, HttpResponse

_HEALTH = ("/healthz", "/livez", "/readyz")
_REVIEWS = (ACCESS_REVIEWS.key, SELF_REVIEWS.key)
_Handler = Callable[[Call], HttpResponse]

_OBJECT: dict[str, tuple[str, _Handler]] = {
    "GET": ("get", verbs.get),
    "PUT": ("update", verbs.replace),
    "PATCH": ("patch", verbs.patch),
    "DELETE": ("delete", verbs.delete),
}
_COLLECTION: dict[str, tuple[str, _Handler]] = {
    "GET": ("list", verbs.list_objects),
    "POST": ("create", verbs.create),
    "DELETE": ("deletecollection", verbs.delete_collection),
}
_STATUS = {method: _OBJECT[method] for method in ("GET", "PUT", "PATCH")}


def _no_work() -> None:
    """The default of `settle`: nothing outside the cluster to catch up with."""


class KubernetesApi:
    """One cluster's API server over its `store`; `logs` holds what the pods print.

    `version` is the cluster's (`1.34`); `identify` turns a bearer token into an identity; `settle` runs before each
    request and in quiet moments of a watch, from any thread, to bring the objects up to the clock.
    """

    def __init__(
        self,
        version: str,
        now: Callable[[], datetime],
        identify: Callable[[str | None], Identity | None],
        settle: Callable[[], None] = _no_work,
    ) -> None:
        self.store = Store(now, git_version(version))
        self.logs: dict[tuple[str, str], list[str]] = {}
        self._identify = identify
        self._settle = settle
        self._settled_version = -1
        bootstrap(self.store)

    def handle(self, request: HttpRequest) -> HttpResponse:
        """Answer one request; failures are `Status` bodies."""
        try:
            return self._answer(request)
        except StatusError as error:
            return HttpResponse.of_json(error.code, error.body())

    def settle(self) -> None:
        """Let the host and the cluster's own controllers catch up."""
        self._settle()
        with self.store.lock:
            if self._settled_version != self.store.version:
                for controller in CONTROLLERS:
                    controller(self.store)
                self._settled_version = self.store.version

    def close(self) -> None:
        """End every open watch."""
        self.store.history.close()

    def _answer(self, request: HttpRequest) -> HttpResponse:
        if request.path in _HEALTH:
            return HttpResponse(200, {"content-type": "text/plain"}, b"ok")
        identity = self._identify(_bearer_token(request))
        if identity is None:
            raise Unauthorized()
        self.settle()
        found = discover(self.store.registry, request.path, self.store.git_version)
        if found is not None:
            return HttpResponse.of_json(200, found)
        call = Call(self.store, request, route(self.store.registry, request.path), identity)
        return self._dispatch(call)

    def _dispatch(self, call: Call) -> HttpResponse:
        if call.resource.key in _REVIEWS:
            return _run(call, {"POST": ("create", review)})
        match call.target.subresource:
            case "scale":
                return subresources.scale(call)
            case "log":
                return subresources.log(call, self.logs)
            case "status":
                return _run(call, _STATUS)
        if call.request.method == "GET" and call.flag("watch"):
            return watch(call, self.settle)
        return _run(call, _OBJECT if call.target.name else _COLLECTION)


def git_version(version: str) -> str:
    """What `/version` reports for a cluster version: `1.34` becomes `v1.34.0-eks-local`, a full one stays."""
    return f"v{version}.0-eks-local" if re.fullmatch(r"\d+\.\d+", version) else version


def _run(call: Call, handlers: dict[str, tuple[str, _Handler]]) -> HttpResponse:
    if call.request.method not in handlers:
        raise MethodNotAllowed()
    verb, handler = handlers[call.request.method]
    if verb not in call.resource.verbs:
        raise MethodNotAllowed()
    return handler(call)


def _bearer_token(request: HttpRequest) -> str | None:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None
