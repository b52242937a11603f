"""Lists in pages and identifiers: what every service cuts and mints the same way."""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import TYPE_CHECKING, TypeVar

from infra.local.simulators.service import ServiceError

if TYPE_CHECKING:
    from collections.abc import Sequence

Item = TypeVar("Item")

LETTERS_AND_DIGITS = "abcdefghijklmnopqrstuvwxyz0123456789"
HEXADECIMAL = "0123456789abcdef"


def page(
    items: Sequence[Item], *, token: str | None, size: int | None, invalid: str = "ValidationException"
) -> tuple[list[Item], str | None]:
    """One page of at most `size` (100) items and the token of the next; `invalid` is the code for a bad token."""
    start = _offset(token, invalid) if token else 0
    end = start + (size or 100)
    return list(items[start:end]), _token(end) if end < len(items) else None


def identifier(seed: str, length: int, alphabet: str = HEXADECIMAL) -> str:
    """Letters that look random and depend on the seed only."""
    digest = hashlib.sha256(seed.encode()).digest()
    stream = (digest + hashlib.sha256(digest).digest())[:length]
    return "".join(alphabet[byte % len(alphabet)] for byte in stream)


def _token(offset: int) -> str:
    return urlsafe_b64encode(f"page:{offset}".encode()).decode()


def _offset(token: str, invalid: str) -> int:
    try:
        word, _, number = urlsafe_b64decode(token).decode().partition(":")
        if word == "page":
            return int(number)
    except ValueError:
        word = ""
    raise ServiceError(invalid, "The nextToken is not valid.")
