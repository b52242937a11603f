"""Page tokens: opaque, signed, and good for one query of one caller only."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from typing import TYPE_CHECKING, Final

from functions.core.errors import FieldError, InvalidPageToken, InvalidRequest
from functions.core.signing import encoded, is_signed, same, sign

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
    body = encoded(json.dumps(content, sort_keys=True, separators=(",", ":")).encode())
    return f"{body}.{sign(body)}"


def unseal(token: str, query: Mapping[str, str | None], caller: str) -> str:
    """Give the position in a token; raise InvalidPageToken unless it is ours, of this query and of this caller."""
    body, _, signature = token.partition(".")
    if not is_signed(body, signature):
        raise _invalid("was not issued by this deployment, or its key has been rotated out")
    content = _decode(body)
    if not same(content["caller"], caller):
        raise _invalid("was issued to another caller")
    if not same(content["query"], _digest(query)):
        raise _invalid("belongs to a query with other filters")
    return content["after"]


def _invalid(why: str) -> InvalidPageToken:
    error = FieldError(field="next_token", message=why)
    return InvalidPageToken(f"The page token {why}.", errors=[error], remedy="Start again without `next_token`.")


def _digest(query: Mapping[str, str | None]) -> str:
    return hashlib.sha256(json.dumps(query, sort_keys=True).encode()).hexdigest()[:32]


def _decode(body: str) -> dict[str, str]:
    try:
        content = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    except (binascii.Error, ValueError) as error:
        raise _invalid("is not readable") from error
    return {name: str(content[name]) for name in ("after", "query", "caller")}
