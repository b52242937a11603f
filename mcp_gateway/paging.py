"""Where the rows of an answer begin: a page of the API may be more than an agent can read at once.

A token of the gateway is the API's own with the number of rows in front that were given before, parted by a tilde.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from functions.core.errors import FieldError, InvalidRequest
from mcp_gateway.tools import TOKEN_ARGUMENT

if TYPE_CHECKING:
    from pydantic import JsonValue

_TOKEN: Final = re.compile(r"(?:(?P<skip>\d{1,6})~)?(?P<token>[^~]*)")


@dataclass(frozen=True)
class Position:
    """The page of a token, without its first rows."""

    token: str | None = None
    skip: int = 0

    @classmethod
    def parse(cls, sent: JsonValue) -> Self:
        """Read a token that an agent sends back; raise InvalidRequest for what no answer gave."""
        if sent is None:
            return cls()
        found = _TOKEN.fullmatch(sent) if isinstance(sent, str) else None
        if found is None:
            error = FieldError(
                field=TOKEN_ARGUMENT, message="is no token of an answer; leave it out for the first rows"
            )
            raise InvalidRequest(f"{TOKEN_ARGUMENT}: {error.message}", errors=[error])
        return cls(found["token"] or None, int(found["skip"] or 0))

    def after(self, rows: int) -> str:
        """Give the token of what follows so many more rows of the same page."""
        return f"{self.skip + rows}~{self.token or ''}"
