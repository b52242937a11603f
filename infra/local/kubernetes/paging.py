"""Pages of a list: selectors, `limit` and the opaque `continue` token."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass

from infra.local.kubernetes.call import Call
from infra.local.kubernetes.collection import Identity, identity_of
from infra.local.kubernetes.documents import JsonObject
from infra.local.kubernetes.errors import BadRequest, Expired
from infra.local.kubernetes.stored import selection


@dataclass(frozen=True)
class Page:
    """Stored objects, uncopied, and the metadata of their list."""

    items: list[JsonObject]
    metadata: JsonObject


def page(call: Call) -> Page:
    """One page of what a list call asks for, ordered by namespace and name; looks at no object behind the page.

    Raises BadRequest for a token or selector that cannot be read, Expired for a token of forgotten times.
    """
    labels, fields = call.selectors()
    matches = selection(call.target.namespace, labels, fields)
    limit, token = call.number("limit"), call.query.get("continue", "")
    start, version = _read(token, call) if token else (None, call.store.version)
    items: list[JsonObject] = []
    metadata: JsonObject = {"resourceVersion": str(version)}
    for document in call.store.scan(call.resource, call.target.namespace, start):
        if not matches(document):
            continue
        if limit and len(items) == limit:
            last = identity_of(items[-1])
            metadata["continue"] = _write(last, version)
            if not labels and not fields:
                metadata["remainingItemCount"] = call.store.count_after(call.resource, call.target.namespace, last)
            break
        items.append(document)
    return Page(items, metadata)


def _write(last: Identity, version: int) -> str:
    return base64.urlsafe_b64encode(json.dumps([*last, version]).encode()).decode()


def _read(token: str, call: Call) -> tuple[Identity, int]:
    try:
        namespace, name, version = json.loads(base64.urlsafe_b64decode(token))
        start, version = (str(namespace), str(name)), int(version)
    except (ValueError, TypeError) as error:
        raise BadRequest(f"continue key is not valid: {error}") from error
    if version < call.store.history.forgotten:
        raise Expired(version, call.store.history.forgotten)
    return start, version
