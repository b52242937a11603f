"""HTTP requests and responses as plain values: what every part of the local host speaks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class HttpRequest:
    """One HTTP request; header names are lower case, `path` is percent-decoded, `query` is the raw query string."""

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass
class HttpResponse:
    """One HTTP response; a streamed one (watch, logs) gives `chunks` instead of `body`."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    chunks: Iterator[bytes] | None = None

    @classmethod
    def of_json(cls, status: int, document: object, content_type: str = "application/json") -> HttpResponse:
        """Answer with a JSON document."""
        return cls(status, {"content-type": content_type}, json.dumps(document).encode())
