"""The `/log` of a pod: what its containers printed, and what they go on to print."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from infra.local.kubernetes.call import Call
from infra.local.kubernetes.controllers.logs import LogLine, PodLogs
from infra.local.kubernetes.documents import JsonObject, mapping, objects, text
from infra.local.kubernetes.errors import BadRequest, MethodNotAllowed, NotFound
from infra.local.kubernetes.metadata import parse_timestamp, timestamp
from infra.local.messages import HttpResponse

TICK_SECONDS = 0.2
"""How often a followed log looks for new lines, in real time."""
_ENDED = ("Succeeded", "Failed")


def log(call: Call, logs: PodLogs) -> HttpResponse:
    """Answer with a container's lines, the wanted part of them, as a stream when the client follows.

    Raises NotFound when there is no such pod, BadRequest when the container is not clear or has not started.
    """
    if call.request.method != "GET":
        raise MethodNotAllowed()
    pod = call.store.get(call.resource, call.target.name, call.target.namespace)
    container = _container(pod, call.query.get("container", ""))
    headers = {"content-type": "text/plain"}
    if call.flag("previous"):
        _require_restarted(pod, container)
        lines = logs.lines(call.target.namespace, call.target.name, container, previous=True)
        return HttpResponse(200, headers, b"".join(_wanted(call, pod, lines)))
    _require_started(pod, container)
    if call.flag("follow"):
        return HttpResponse(200, headers, chunks=_follow(call, logs, pod, container))
    return HttpResponse(200, headers, b"".join(_wanted(call, pod, _lines(call, logs, container))))


def _container(pod: JsonObject, asked: str) -> str:
    names = [text(container, "name") for part in ("containers", "initContainers")
             for container in objects(pod, "spec", part)]  # fmt: skip
    if asked and asked not in names:
        raise BadRequest(f"container {asked} is not valid for pod {text(pod, 'metadata', 'name')}")
    annotated = text(pod, "metadata", "annotations", "kubectl.kubernetes.io/default-container")
    if not asked and len(names) > 1 and not annotated:
        listed = " ".join(names)
        name = text(pod, "metadata", "name")
        raise BadRequest(f"a container name must be specified for pod {name}, choose one of: [{listed}]")
    return asked or annotated or (names[0] if names else "")


def _require_started(pod: JsonObject, container: str) -> None:
    for status in objects(pod, "status", "containerStatuses"):
        reason = text(status, "state", "waiting", "reason")
        if text(status, "name") == container and reason and not mapping(status, "lastState", "terminated"):
            name = text(pod, "metadata", "name")
            raise BadRequest(f'container "{container}" in pod "{name}" is waiting to start: {reason}')


def _require_restarted(pod: JsonObject, container: str) -> None:
    for status in objects(pod, "status", "containerStatuses"):
        if text(status, "name") == container and mapping(status, "lastState", "terminated"):
            return
    name = text(pod, "metadata", "name")
    raise BadRequest(f'previous terminated container "{container}" in pod "{name}" not found')


def _lines(call: Call, logs: PodLogs, container: str) -> Sequence[str | LogLine]:
    return logs.get((call.target.namespace, call.target.name, container))


def _wanted(call: Call, pod: JsonObject, lines: Sequence[str | LogLine]) -> list[bytes]:
    since = _since(call)
    kept = [line for line in lines if since is None or isinstance(line, str) or line.at >= since]
    if "tailLines" in call.query:
        kept = kept[max(len(kept) - call.number("tailLines"), 0) :]
    written = [_written(call, pod, line) for line in kept]
    limit = call.number("limitBytes")
    return [b"".join(written)[:limit]] if limit else written


def _since(call: Call) -> datetime | None:
    if "sinceSeconds" in call.query:
        return call.store.now() - timedelta(seconds=call.number("sinceSeconds"))
    return parse_timestamp(call.query["sinceTime"]) if "sinceTime" in call.query else None


def _written(call: Call, pod: JsonObject, line: str | LogLine) -> bytes:
    said = line if isinstance(line, str) else line.text
    if not call.flag("timestamps"):
        return f"{said}\n".encode()
    at = text(pod, "metadata", "creationTimestamp") if isinstance(line, str) else timestamp(line.at)
    return f"{at} {said}\n".encode()


def _follow(call: Call, logs: PodLogs, pod: JsonObject, container: str) -> Iterator[bytes]:
    lines = _lines(call, logs, container)
    yield from _wanted(call, pod, lines)
    seen = len(lines)
    while not call.store.history.closed:
        running = _is_running(call)
        lines = _lines(call, logs, container)
        for line in lines[seen:]:
            yield _written(call, pod, line)
        seen = len(lines)
        if not running:
            return
        yield b""
        time.sleep(TICK_SECONDS)


def _is_running(call: Call) -> bool:
    try:
        pod = call.store.get(call.resource, call.target.name, call.target.namespace)
    except NotFound:
        return False
    return text(pod, "status", "phase") not in _ENDED
