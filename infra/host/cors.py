"""What pages of allowed origins may send and read; both hosts' gateways say it, for their own refusals too."""

from __future__ import annotations

from typing import Final

# What functions/core/http.py says to allowed origins.
CORS_METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")
CORS_REQUEST_HEADERS: Final = (
    "authorization",
    "content-type",
    "idempotency-key",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
)
CORS_RESPONSE_HEADERS: Final = (
    "idempotent-replayed",
    "location",
    "mcp-session-id",
    "retry-after",
    "www-authenticate",
    "x-request-id",
)
