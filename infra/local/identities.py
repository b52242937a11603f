"""Who signs requests on the local host: one key pair a role, and the sessions that AssumeRole gives out."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from datetime import datetime
from itertools import count

from infra.local.simulators.service import Principal


@dataclass(frozen=True)
class Identity:
    """A key pair and whose it is; `role_arn` is empty for a person."""

    access_key: str
    secret_key: str
    arn: str
    role_arn: str
    session_token: str | None = None
    expires: datetime | None = None

    @property
    def session(self) -> str:
        """Name the session; empty for a person."""
        return self.arn.rpartition("/")[2] if self.role_arn else ""


class Identities:
    """Derives key pairs from names, so that a restarted host knows them again."""

    def __init__(self, account_id: str) -> None:
        self.account_id = account_id
        self._known: dict[str, Identity] = {}
        self._sessions = count(1)

    def of_role(self, role_arn: str) -> Identity:
        """Give the key pair of a role as a service of the host uses it."""
        return self._made(role_arn, "local", "")

    def assume(self, role_arn: str, session_name: str, expires: datetime | None = None) -> Identity:
        """Give the key pair of a session of a role, another one each time, as STS does."""
        return self._made(role_arn, session_name, f" {next(self._sessions)}", expires)

    def _made(self, role_arn: str, session_name: str, which: str, expires: datetime | None = None) -> Identity:
        name = role_arn.rpartition("/")[2]
        arn = f"arn:aws:sts::{self.account_id}:assumed-role/{name}/{session_name}"
        seed = f"{arn}{which}"
        key = "ASIA" + _token(seed, 16)
        identity = Identity(key, _token(f"secret {seed}", 40), arn, role_arn, _token(f"session {seed}", 64), expires)
        return self._known.setdefault(key, identity)

    def snapshot(self) -> tuple[dict[str, Identity], int]:
        """Give every identity that was given out, and the number of the next session."""
        following = next(self._sessions)
        self._sessions = count(following)
        return dict(self._known), following

    def restore(self, kept: tuple[dict[str, Identity], int]) -> None:
        """Know the identities of a snapshot again, and go on counting."""
        known, following = kept
        self._known.update(known)
        self._sessions = count(following)

    def get(self, access_key: str) -> Identity | None:
        """Give the identity of a key that this host gave out."""
        return self._known.get(access_key)

    def principal(self, access_key: str) -> Principal:
        """Say who signed with a key; a key of the user's own is the person at the machine."""
        identity = self._known.get(access_key)
        arn = identity.arn if identity else f"arn:aws:iam::{self.account_id}:user/local"
        return Principal(access_key, arn, self.account_id, identity.role_arn if identity else "")


def _token(text: str, length: int) -> str:
    digest = hashlib.sha512(text.encode()).digest()
    return base64.b32encode(digest).decode()[:length]
