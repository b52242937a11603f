"""Watching a collection: what is there or changed since a resourceVersion, then every change as it happens."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from infra.local.kubernetes.call import Call
from infra.local.kubernetes.documents import JsonObject
from infra.local.kubernetes.errors import Expired
from infra.local.kubernetes.history import Change
from infra.local.kubernetes.representations import accepted_form, represent
from infra.local.kubernetes.selectors import Predicate
from infra.local.kubernetes.store import selection
from infra.local.kubernetes.views import to_wire
from infra.local.messages import HttpResponse

DEFAULT_SECONDS = 1800
TICK_SECONDS = 0.5
"""How long a quiet stream waits at most before it lets controllers run and its connection be checked."""


@dataclass(frozen=True)
class _Watch:
    call: Call
    matches: Predicate
    settle: Callable[[], None]
    deadline: float
    cursor: int

    def lines(self, initial: list[JsonObject], bookmark: bool) -> Iterator[bytes]:
        for document in initial:
            yield _line("ADDED", represent(self.call, document))
        if bookmark:
            yield _line("BOOKMARK", self._initial_events_end())
        yield from self._changes()

    def _changes(self) -> Iterator[bytes]:
        cursor, history = self.cursor, self.call.store.history
        while not history.closed and (left := self.deadline - time.monotonic()) > 0:
            try:
                changes = history.after(cursor, min(left, TICK_SECONDS))
            except Expired as error:
                yield _line("ERROR", error.body())
                return
            for change in changes:
                cursor = change.version
                yield from self._event(change)
            if not changes:
                self.settle()
                yield b""

    def _event(self, change: Change) -> Iterator[bytes]:
        if change.key != self.call.resource.key:
            return
        before = change.before is not None and self.matches(change.before)
        after = change.after is not None and self.matches(change.after)
        if change.after is not None and after:
            yield _line("MODIFIED" if before else "ADDED", represent(self.call, change.after))
        elif before:
            gone = change.after or change.before or {}
            yield _line("DELETED", represent(self.call, gone))

    def _initial_events_end(self) -> JsonObject:
        annotations = {"k8s.io/initial-events-end": "true"}
        metadata = {"resourceVersion": str(self.cursor), "annotations": annotations}
        return to_wire(self.call.resource, {"metadata": metadata})


def watch(call: Call, settle: Callable[[], None]) -> HttpResponse:
    """Answer with a stream of watch events until `timeoutSeconds` of real time have passed.

    Without a resourceVersion (or 0) what exists comes first as ADDED. Quiet moments yield empty chunks, so that a
    host can notice that the client has gone. Raises BadRequest for a selector or number that cannot be read.
    """
    accepted_form(call)
    fields = call.query.get("fieldSelector", "")
    if call.target.name:
        fields = ",".join(filter(None, (fields, f"metadata.name={call.target.name}")))
    matches = selection(call.target.namespace, call.query.get("labelSelector", ""), fields)
    seconds = call.number("timeoutSeconds") or DEFAULT_SECONDS
    since, everything = call.number("resourceVersion"), call.flag("sendInitialEvents")
    stream = _Watch(call, matches, settle, time.monotonic() + seconds, since)
    initial: list[JsonObject] = []
    with call.store.lock:
        if not since or everything:
            initial = [item for item in call.store.select(call.resource, call.target.namespace) if matches(item)]
            stream = replace(stream, cursor=call.store.version)
    chunks = stream.lines(initial, everything)
    return HttpResponse(200, {"content-type": "application/json"}, chunks=chunks)


def _line(kind: str, document: JsonObject) -> bytes:
    return json.dumps({"type": kind, "object": document}).encode() + b"\n"
