"""The API server of one simulated cluster: requests in, responses out, no sockets."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from infra.local.kubernetes import verbs
from infra.local.kubernetes.authorization import Action, Authorizer
from infra.local.kubernetes.call import Call, Target, route
from infra.local.kubernetes.controllers import bootstrap, default_behaviours, manage
from infra.local.kubernetes.controllers.logs import PodLogs
from infra.local.kubernetes.discovery import discover
from infra.local.kubernetes.documents import JsonObject
from infra.local.kubernetes.errors import MethodNotAllowed, NotFound, StatusError, Unauthorized
from infra.local.kubernetes.identity import Identity, PoliciesOf, policies_of
from infra.local.kubernetes.pod_actions import bind, evict
from infra.local.kubernetes.pod_logs import log
from infra.local.kubernetes.proxying import Proxy, no_proxy, proxied_name, proxy
from infra.local.kubernetes.reviews import KEYS, Reviewer
from infra.local.kubernetes.scales import scale
from infra.local.kubernetes.store import Store
from infra.local.kubernetes.tokens import ISSUER, TokenIssuer
from infra.local.kubernetes.watch import watch
from infra.local.messages import HttpRequest, HttpResponse

_HEALTH = ("/healthz", "/livez", "/readyz")
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
_FINALIZE: dict[str, tuple[str, _Handler]] = {"PUT": ("update", verbs.finalize)}
_SUBRESOURCE_VERBS = {"GET": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}


def _no_work() -> None:
    """The default of `settle`: nothing outside the cluster to catch up with."""


@dataclass(frozen=True)
class Host:
    """What a cluster asks of the host it runs in.

    `settle` runs before each request and in quiet moments of a watch, from any thread, to bring the objects up to the
    clock; `policies_of` tells an identity's EKS access policies; `proxy` answers for what runs in pods.
    """

    settle: Callable[[], None] = _no_work
    policies_of: PoliciesOf = policies_of
    proxy: Proxy = no_proxy


class KubernetesApi:
    """One cluster's API server over its `store`; `logs` holds what the pods print, `behaviours` what they do.

    `version` is the cluster's (`1.34`); `identify` turns a bearer token into an identity; tokens of service accounts
    are known besides.
    """

    def __init__(
        self,
        version: str,
        now: Callable[[], datetime],
        identify: Callable[[str | None], Identity | None],
        settle: Callable[[], None] = _no_work,
        host: Host | None = None,
        issuer: str = ISSUER,
    ) -> None:
        self.store = Store(now, git_version(version))
        self.behaviours = default_behaviours()
        self.controllers = manage(self.store, self.behaviours)
        self.logs = PodLogs(self.store, self.behaviours)
        self._host = host or Host(settle)
        self._identify = identify
        self._tokens = TokenIssuer(self.store, issuer)
        self._authorizer = Authorizer(self.store, self._host.policies_of)
        self._reviewer = Reviewer(self._authorizer, self.identify)
        bootstrap(self.store)

    def handle(self, request: HttpRequest) -> HttpResponse:
        """Answer one request; failures are `Status` bodies."""
        try:
            return self._answer(request)
        except StatusError as error:
            return HttpResponse.of_json(error.code, error.body())

    def identify(self, token: str | None) -> Identity | None:
        """Who a bearer token belongs to: someone the host knows, or a service account."""
        return self._identify(token) or self._tokens.identify(token)

    def token_claims(self, token: str) -> JsonObject | None:
        """What a service account's token says, as STS reads it with the cluster's public keys; None for others'."""
        return self._tokens.claims(token)

    def settle(self) -> None:
        """Let the host and the cluster's own controllers catch up."""
        self._host.settle()
        self.advance()

    def advance(self) -> None:
        """Let the cluster's own controllers catch up with what changed and with the clock."""
        self.controllers.settle()
        self.store.empty_holders()

    def deadlines(self) -> Iterable[datetime]:
        """The moments at which the controllers have something to do though nothing changes."""
        with self.store.lock:
            return self.controllers.deadlines()

    def upgrade(self, version: str) -> None:
        """Be of another version from now on; nodes keep the one of their kubelets."""
        self.store.git_version = git_version(version)

    def close(self) -> None:
        """End every open watch."""
        self.store.history.close()

    def _answer(self, request: HttpRequest) -> HttpResponse:
        if request.path in _HEALTH:
            return HttpResponse(200, {"content-type": "text/plain"}, b"ok")
        identity = self.identify(_bearer_token(request))
        if identity is None:
            raise Unauthorized()
        self.settle()
        found = discover(self.store.registry, request.path, self.store.git_version)
        if found is not None:
            self._authorizer.require(identity, Action("get", path=request.path))
            return HttpResponse.of_json(200, found)
        call = Call(self.store, request, self._route(request, identity), identity)
        self._require_allowed(call)
        response = self._dispatch(call)
        if call.warnings:
            response.headers["warning"] = ", ".join(f"299 - {json.dumps(warning)}" for warning in call.warnings)
        return response

    def _require_allowed(self, call: Call) -> None:
        action = _action(call)
        self._authorizer.require(call.identity, action)
        if action.verb != "patch" or call.media_type != verbs.APPLY_PATCH or action.subresource:
            return
        if self.store.find(call.resource, call.target.name, call.target.namespace) is None:
            self._authorizer.require(call.identity, replace(action, verb="create"))

    def _route(self, request: HttpRequest, identity: Identity) -> Target:
        try:
            return route(self.store.registry, request.path)
        except NotFound:
            if not request.path.startswith(("/api/", "/apis/")):
                self._authorizer.require(identity, Action(request.method.lower(), path=request.path))
            raise

    def _dispatch(self, call: Call) -> HttpResponse:
        if call.resource.key in KEYS:
            return _run(call, {"POST": ("create", self._reviewer.review)})
        if call.target.subresource:
            return self._subresource(call)
        if call.request.method == "GET" and call.flag("watch"):
            return watch(call, self.settle)
        return _run(call, _OBJECT if call.target.name else _COLLECTION)

    def _subresource(self, call: Call) -> HttpResponse:
        match call.target.subresource:
            case "scale":
                return scale(call)
            case "log":
                return log(call, self.logs)
            case "binding":
                return bind(call)
            case "eviction":
                return evict(call)
            case "token":
                return self._tokens.request(call)
            case "proxy":
                return proxy(call, self._host.proxy)
            case "finalize":
                return _run(call, _FINALIZE)
            case _:
                return _run(call, _STATUS)


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


def _action(call: Call) -> Action:
    target, method = call.target, call.request.method
    name = proxied_name(target.name) if target.subresource == "proxy" else target.name
    if target.subresource:
        verb = _SUBRESOURCE_VERBS.get(method, method.lower())
    elif method == "GET" and call.flag("watch"):
        verb = "watch"
    else:
        verb = (_OBJECT if name else _COLLECTION).get(method, (method.lower(),))[0]
    namespace = target.name if call.resource.key == ("", "namespaces") else target.namespace
    return Action(verb, call.resource.group, call.resource.plural, target.subresource, name, namespace)


def _bearer_token(request: HttpRequest) -> str | None:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None
