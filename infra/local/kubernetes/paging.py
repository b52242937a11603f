"""Pages of a list: `limit` and the opaque `continue` token."""

from __future__ import annotations

import base64
import json

from infra.local.kubernetes.documents import JsonObject, name_of, namespace_of
from infra.local.kubernetes.errors import BadRequest


def page(found: list[JsonObject], version: int, limit: int, token: str) -> tuple[list[JsonObject], JsonObject]:
    """One page of objects ordered by namespace and name, and the list's metadata.

    Raises BadRequest when the token is not one of ours.
    """
    start = _read(token) if token else None
    rest = [item for item in found if start is None or (namespace_of(item), name_of(item)) > start]
    metadata: JsonObject = {"resourceVersion": str(version)}
    if not limit or len(rest) <= limit:
        return rest, metadata
    items = rest[:limit]
    return items, {**metadata, "continue": _write(items[-1]), "remainingItemCount": len(rest) - limit}


def _write(last: JsonObject) -> str:
    return base64.urlsafe_b64encode(json.dumps([namespace_of(last), name_of(last)]).encode()).decode()


def _read(token: str) -> tuple[str, str]:
    try:
        namespace, name = json.loads(base64.urlsafe_b64decode(token))
    except (ValueError, TypeError) as error:
        raise BadRequest(f"continue key is not valid: {error}") from error
    return str(namespace), str(name)
