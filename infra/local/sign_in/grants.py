"""What was granted and not yet turned into tokens: codes, good once and soon, and refresh tokens, which take turns."""

from __future__ import annotations

import secrets
import threading
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from infra.local.sign_in.users import User

# Source: Cognito developer guide, "Token endpoint" and "Refresh token rotation".
CODE_LIFETIME: Final = timedelta(minutes=5)
GRACE: Final = timedelta(seconds=60)


@dataclass(frozen=True)
class Grant:
    """What a person let a program have; `challenge` is what the program's proof has to match (RFC 7636)."""

    client_id: str
    user: User
    scopes: tuple[str, ...]
    callback: str
    challenge: str
    resource: str | None
    nonce: str | None
    signed_in_at: datetime
    origin_id: str


@dataclass(frozen=True)
class _Held:
    grant: Grant
    ends: datetime
    retired: datetime | None = None

    def is_good(self, moment: datetime) -> bool:
        return moment < self.ends and (self.retired is None or moment < self.retired + GRACE)


class Grants:
    """The codes and refresh tokens that are out; every method may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._codes: dict[str, _Held] = {}
        self._refresh: dict[str, _Held] = {}

    def code_for(self, grant: Grant) -> str:
        """Give a new code for a grant."""
        code = secrets.token_urlsafe(32)
        with self._lock:
            self._codes[code] = _Held(grant, grant.signed_in_at + CODE_LIFETIME)
        return code

    def redeem(self, code: str, moment: datetime) -> Grant | None:
        """Take a code out and give what it is for; None when it is unknown, used or too old."""
        with self._lock:
            held = self._codes.pop(code, None)
        return held.grant if held and held.is_good(moment) else None

    def refresh_token_for(self, grant: Grant, ends: datetime) -> str:
        """Give the first refresh token of a grant, good until `ends`."""
        return self._add(_Held(grant, ends))

    def rotate(self, token: str, client_id: str, moment: datetime) -> tuple[Grant, str] | None:
        """Give what a refresh token is for and the next one; None when it is not good, or another program's.

        The old one stays good for a minute, for a program that did not hear the answer.
        """
        with self._lock:
            held = self._refresh.get(token)
            if held is None or held.grant.client_id != client_id or not held.is_good(moment):
                return None
            self._refresh[token] = replace(held, retired=held.retired or moment)
        return held.grant, self._add(_Held(held.grant, held.ends))

    def revoke(self, token: str, client_id: str) -> None:
        """End a refresh token and all that came of the same sign-in; others' and unknown ones are left alone."""
        with self._lock:
            held = self._refresh.get(token)
            if held is not None and held.grant.client_id == client_id:
                ended = held.grant.origin_id
                self._refresh = {name: each for name, each in self._refresh.items() if each.grant.origin_id != ended}

    def _add(self, held: _Held) -> str:
        token = secrets.token_urlsafe(48)
        with self._lock:
            self._refresh[token] = held
        return token
