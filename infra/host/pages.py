"""How the console's files are served, as plain data: CloudFront and the local host do it by the same rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from infra.shapes import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

BUILD: Final = ROOT / "frontend" / "dist"
# Vite names what it puts there by its content.
NAMED_BY_CONTENT: Final = "assets"
FOR_EVER: Final = "public, max-age=31536000, immutable"
# A viewer asks again each time whether what it has is still what there is.
FRESH: Final = "no-cache"
FRAMES: Final = "DENY"
REFERRERS: Final = "no-referrer"
PERMISSIONS: Final = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"
TWO_YEARS_OF_DAYS: Final = 730
_SECONDS_OF_DAY: Final = 86_400


def security_headers(connects_to: Sequence[str]) -> dict[str, str]:
    """Write the headers of every answer; `connects_to` are the addresses that pages speak to beside their own."""
    return {
        "content-security-policy": content_security_policy(connects_to),
        "permissions-policy": PERMISSIONS,
        "referrer-policy": REFERRERS,
        "strict-transport-security": f"max-age={TWO_YEARS_OF_DAYS * _SECONDS_OF_DAY}",
        "x-content-type-options": "nosniff",
        "x-frame-options": FRAMES,
    }


def content_security_policy(connects_to: Sequence[str]) -> str:
    """Write what the console's pages may load, and whom they may speak to beside their own address."""
    directives = {
        "default-src": ["'none'"],
        "base-uri": ["'self'"],
        "connect-src": ["'self'", *connects_to],
        "font-src": ["'self'", "data:"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "img-src": ["'self'", "data:"],
        "manifest-src": ["'self'"],
        "script-src": ["'self'"],
        # The components place themselves by style attributes.
        "style-src": ["'self'", "'unsafe-inline'"],
        "worker-src": ["'self'"],
    }
    return "; ".join(f"{name} {' '.join(sources)}" for name, sources in directives.items())
