"""What pages of allowed origins may send and read; both hosts' gateways say it, for their own refusals too."""

from __future__ import annotations

from typing import Final

# What functions/core/http.py says to allowed origins.
CORS_METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")
CORS_REQUEST_HEADERS: Final = ("authorization", "content-type", "idempotency-key")
CORS_RESPONSE_HEADERS: Final = ("location", "retry-after", "x-request-id")
