"""Names and hashes that controllers make up, the same for the same input."""

from __future__ import annotations

import hashlib
import json

_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"


def random_suffix(*parts: object) -> str:
    """Five letters that look random, as Kubernetes appends them to generated names."""
    number = int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:8], "big")
    letters = []
    for _ in range(5):
        number, index = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[index])
    return "".join(letters)


def hash_of(document: object, salt: int = 0) -> str:
    """The hash of a template as it stands in labels and names; a salt tells apart what collides."""
    written = json.dumps([document, salt], sort_keys=True, separators=(",", ":"), default=str)
    number = int.from_bytes(hashlib.sha256(written.encode()).digest()[:4], "big")
    return "".join(_ALPHABET[ord(digit) % len(_ALPHABET)] for digit in str(number))
