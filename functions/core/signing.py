"""Signs what callers carry from one request to the next, with the deployment's keys; two are good while one rotates."""

from __future__ import annotations

import base64
import hashlib
import hmac

from functions.core import runtime
from functions.core.errors import DeploymentFault


def sign(content: str) -> str:
    """Sign a text with the newest key; raise DeploymentFault without a key."""
    return _signature(content, _keys()[0])


def is_signed(content: str, signature: str) -> bool:
    """Say whether a signature is ours; raise DeploymentFault without a key."""
    # Every key is tried, so that the answer's time does not tell which one fits.
    fitting = [key for key in _keys() if same(_signature(content, key), signature)]
    return bool(fitting)


def same(one: str, other: str) -> bool:
    """Compare two texts in a time that does not tell where they differ."""
    return hmac.compare_digest(_bytes(one), _bytes(other))


def encoded(content: bytes) -> str:
    """Write bytes as text that fits into a URL."""
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def _keys() -> list[str]:
    keys = [key.strip() for key in runtime.environment().get("PAGE_TOKEN_KEYS", "").split(",") if key.strip()]
    if not keys:
        raise DeploymentFault("PAGE_TOKEN_KEYS holds no key.", remedy="Set one secret, or two while rotating.")
    return keys


def _signature(content: str, key: str) -> str:
    return encoded(hmac.new(key.encode(), _bytes(content), hashlib.sha256).digest())


def _bytes(text: str) -> bytes:
    # What is signed is whatever a caller sent, half a surrogate pair included.
    return text.encode("utf-8", "surrogatepass")
