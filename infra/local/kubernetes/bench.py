"""Prints how long a large cluster takes: `python -m infra.local.kubernetes.bench [nodes] [pods]`."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime

from infra.local.kubernetes.api import KubernetesApi
from infra.local.kubernetes.documents import JsonObject, text
from infra.local.kubernetes.identity import MASTERS, Identity
from infra.local.kubernetes.resources import CONFIG_MAPS, NODES, PODS
from infra.local.messages import HttpRequest

_HEADERS = {"authorization": "Bearer bench"}
_WATCHERS, _WRITES, _PAGE = 20, 500, 500


def main(nodes: int = 1000, pods: int = 10_000) -> None:
    """Fill a cluster, then time lists, writes and the fan-out of a watch."""
    api = KubernetesApi("1.34", lambda: datetime.now(UTC), lambda token: Identity("bench", (MASTERS,)))
    _timed(f"create {nodes} nodes and {pods} pods", lambda: _fill(api, nodes, pods))
    _timed("let the controllers settle", lambda: _settle(api))
    first = _timed(f"list {_PAGE} pods of {pods}", lambda: _list(api, f"limit={_PAGE}"))
    token = text(json.loads(first), "metadata", "continue")
    _timed(f"list the next {_PAGE}", lambda: _list(api, f"limit={_PAGE}&continue={token}"))
    _timed("list the pods of one node", lambda: _list(api, "fieldSelector=spec.nodeName=n7"))
    _timed(f"list all {pods} pods", lambda: _list(api, ""))
    _timed("apply one deployment", lambda: _apply(api))
    _timed(f"{_WRITES} writes to {_WATCHERS} watchers", lambda: _fan_out(api))


def _timed(what: str, work: Callable[[], bytes]) -> bytes:
    started = time.perf_counter()
    result = work()
    print(f"{what:<40} {(time.perf_counter() - started) * 1000:9.1f} ms")
    return result


def _fill(api: KubernetesApi, nodes: int, pods: int) -> bytes:
    for number in range(nodes):
        api.store.create(NODES, {"metadata": {"name": f"n{number}"}})
    for number in range(pods):
        spec = {"nodeName": f"n{number % nodes}", "containers": [{"name": "main", "image": "app:1"}]}
        metadata = {"name": f"p{number}", "namespace": "default", "labels": {"app": f"a{number % 50}"}}
        api.store.create(PODS, {"metadata": metadata, "spec": spec})
    return b""


def _settle(api: KubernetesApi) -> bytes:
    api.settle()
    return b""


def _list(api: KubernetesApi, query: str) -> bytes:
    return api.handle(HttpRequest("GET", "/api/v1/pods", query, _HEADERS)).body


def _apply(api: KubernetesApi) -> bytes:
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "app:1"}]}}
    document: JsonObject = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {"selector": {"matchLabels": labels}, "template": template},
    }
    path = "/apis/apps/v1/namespaces/default/deployments/web"
    headers = {**_HEADERS, "content-type": "application/apply-patch+yaml"}
    return api.handle(HttpRequest("PATCH", path, "fieldManager=bench", headers, json.dumps(document).encode())).body


def _fan_out(api: KubernetesApi) -> bytes:
    query = f"watch=true&resourceVersion={api.store.version}&timeoutSeconds=60"

    def follow() -> None:
        chunks = api.handle(HttpRequest("GET", "/api/v1/configmaps", query, _HEADERS)).chunks or iter(())
        seen = 0
        for chunk in chunks:
            seen += bool(chunk)
            if seen == _WRITES:
                return

    threads = [threading.Thread(target=follow) for _ in range(_WATCHERS)]
    for thread in threads:
        thread.start()
    for number in range(_WRITES):
        api.store.create(CONFIG_MAPS, {"metadata": {"name": f"c{number}", "namespace": "default"}})
    for thread in threads:
        thread.join()
    return b""


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:3]))
