"""CORS as an HTTP API does it once origins are configured: its headers are the only ones, also on what it refuses.

Source: API Gateway developer guide, "Configure CORS for HTTP APIs".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from infra.host.cors import CORS_METHODS, CORS_REQUEST_HEADERS, CORS_RESPONSE_HEADERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from infra.local.messages import HttpRequest

_HEADERS: Final = "access-control-"


def is_preflight(request: HttpRequest) -> bool:
    """Say whether a browser asks if it may send a request from a page."""
    asked = {"origin", f"{_HEADERS}request-method"}
    return request.method == "OPTIONS" and asked <= request.headers.keys()


def shared(headers: Mapping[str, str], request: HttpRequest, origins: Sequence[str]) -> dict[str, str]:
    """Give the headers of an answer with the gateway's own on sharing instead of the function's."""
    kept = {name: value for name, value in headers.items() if not name.startswith(_HEADERS)}
    origin = request.headers.get("origin")
    if origin is None or origin not in origins:
        return kept
    if is_preflight(request):
        kept |= {
            f"{_HEADERS}allow-methods": ",".join(CORS_METHODS),
            f"{_HEADERS}allow-headers": ",".join(CORS_REQUEST_HEADERS),
        }
    return kept | {
        f"{_HEADERS}allow-origin": origin,
        f"{_HEADERS}expose-headers": ",".join(CORS_RESPONSE_HEADERS),
        "vary": "origin",
    }
