"""Page tokens: opaque, signed, and good for one query of one caller only."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from typing import TYPE_CHECKING, Final

from functions.core import runtime
from functions.core.errors import DeploymentFault, FieldError, InvalidPageToken, InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_LIMIT: Final = 50
MAX_LIMIT: Final = 200


def page_limit(limit: int | None) -> int:
    """Give the size of a page; raise InvalidRequest outside of 1 to 200."""
    if limit is None:
        return DEFAULT_LIMIT
    if 1 <= limit <= MAX_LIMIT:
        return limit
    allowed = f"1..{MAX_LIMIT}"
    error = FieldError(field="limit", message=f"{limit} is outside of {allowed}", allowed=[allowed])
    raise InvalidRequest(f"`limit` is {limit}; allowed is {allowed}.", errors=[error])


def seal(position: str, query: Mapping[str, str | None], caller: str) -> str:
    """Make the token that continues a query of a caller after a position; raise DeploymentFault without a key."""
    content = {"after": position, "query": _digest(query), "caller": caller}
    body = _encode(json.dumps(content, sort_keys=True, separators=(",", ":")).encode())
    return f"{body}.{_sign(body, _keys()[0])}"


def unseal(token: str, query: Mapping[str, str | None], caller: str) -> str:
    """Give the position in a token; raise InvalidPageToken unless it is ours, of this query and of this caller."""
    body, _, signature = token.partition(".")
    # Every key is tried, so that the answer's time does not tell which one fits.
    fitting = [key for key in _keys() if _same(_sign(body, key), signature)]
    if not fitting:
        raise _invalid("was not issued by this deployment, or its key has been rotated out")
    content = _decode(body)
    if not _same(content["caller"], caller):
        raise _invalid("was issued to another caller")
    if not _same(content["query"], _digest(query)):
        raise _invalid("belongs to a query with other filters")
    return content["after"]


def _invalid(why: str) -> InvalidPageToken:
    error = FieldError(field="next_token", message=why)
    return InvalidPageToken(f"The page token {why}.", errors=[error], remedy="Start again without `next_token`.")


def _keys() -> list[str]:
    keys = [key.strip() for key in runtime.environment().get("PAGE_TOKEN_KEYS", "").split(",") if key.strip()]
    if not keys:
        raise DeploymentFault("PAGE_TOKEN_KEYS holds no key.", remedy="Set one secret, or two while rotating.")
    return keys


def _digest(query: Mapping[str, str | None]) -> str:
    return hashlib.sha256(json.dumps(query, sort_keys=True).encode()).hexdigest()[:32]


def _sign(body: str, key: str) -> str:
    return _encode(hmac.new(key.encode(), _bytes(body), hashlib.sha256).digest())


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(_bytes(one), _bytes(other))


def _bytes(text: str) -> bytes:
    # A token is whatever a caller sent, half a surrogate pair included.
    return text.encode("utf-8", "surrogatepass")


def _encode(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def _decode(body: str) -> dict[str, str]:
    try:
        content = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    except (binascii.Error, ValueError) as error:
        raise _invalid("is not readable") from error
    return {name: str(content[name]) for name in ("after", "query", "caller")}
