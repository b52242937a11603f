"""Hiding secrets in text that others wrote, before it is kept or shown."""

from __future__ import annotations

import re
from typing import Final

HIDDEN: Final = "[hidden]"

# What a secret looks like whatever stands beside it. Sources: the prefixes that Hugging Face, GitHub and AWS document
# for their tokens and access keys; RFC 7519 (JWT); a secret access key has 40 characters of base64.
_SHAPES: Final = re.compile(
    r"\bhf_\w{16,}"
    r"|\b(?:gh[pousr]_|github_pat_)\w{20,}"
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"
    r"|\beyJ[\w-]+\.[\w-]+\.[\w-]*"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*"
    r"|(?<![A-Za-z0-9/+])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])"
)
# What is named as one: NAME=value, "name": "value", --name value, X-Amz-Signature=value; a scheme (Bearer) is no value.
_NAMED: Final = re.compile(
    r"""(?ix)
    ( [\w-]* (?: token | secret | passw(?:or)?d | passphrase | api[_-]?key | access[_-]?key | credential | signature
                 | authorization ) [\w-]* ["']? \s*[=:]\s* ["']?
    | -- [\w-]* (?: token | secret | passw(?:or)?d | passphrase | key ) \s+ ["']? )
    ( (?: bearer | basic | token )\s+ )? [^\s"'&,;]+
    """
)
_IN_ADDRESS: Final = re.compile(r"(://[^/\s:@]+:)[^/\s@]+@")


def redacted(text: str) -> str:
    """Give a text without the secrets that can be told from it: by their shape, their name, or their place in a URL."""
    shapeless = _SHAPES.sub(HIDDEN, text)
    nameless = _NAMED.sub(lambda found: f"{found[1]}{found[2] or ''}{HIDDEN}", shapeless)
    return _IN_ADDRESS.sub(rf"\1{HIDDEN}@", nameless)
