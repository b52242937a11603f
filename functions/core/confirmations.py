"""Digests of previews: handed out by a dry run, and judged when the request comes in earnest."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from functions.core.errors import ConfirmationRequired, FieldError, PreviewOutdated, Problem
from functions.core.ledger.models import Actor, Channel
from functions.core.signing import is_signed, same, sign

LIFETIME: Final = timedelta(minutes=15)
_DIGEST: Final = re.compile(r"([0-9a-f]{32})\.([0-9]{1,12})\.([\w-]{20,64})")
_HOW: Final = "Send the request with dry_run=true, read the preview, then send it with confirm=<its digest>."


def digest_of(state: str, actor: Actor, now: datetime) -> tuple[str, datetime]:
    """Make the digest of a previewed state for its caller, and say until when it confirms."""
    expires_at = datetime.fromtimestamp(int((now + LIFETIME).timestamp()), UTC)
    body = f"{state}.{int(expires_at.timestamp())}"
    return f"{body}.{sign(_bound(body, actor))}", expires_at


def check(confirm: str | None, state: str, name: str | None, actor: Actor, now: datetime) -> None:
    """Let a request pass that its caller has confirmed, or that needs no confirmation.

    `name` is set for a request that destroys something: the console may confirm it by that name. Raises
    ConfirmationRequired, or PreviewOutdated when something else would happen than was confirmed.
    """
    if confirm is None:
        if name is not None:
            raise _required("is required: what the request does cannot simply be undone")
        return
    if name is not None and actor.channel is Channel.CONSOLE and same(confirm, name):
        return
    found = _DIGEST.fullmatch(confirm)
    if found is None:
        raise _required("is not a digest of a preview" + _unless_typed(name, actor))
    previewed, expires, signature = found.groups()
    if not is_signed(_bound(f"{previewed}.{expires}", actor), signature):
        raise _required("is not a digest of a preview that this caller got from this deployment")
    if now >= datetime.fromtimestamp(int(expires), UTC):
        raise _required(f"is older than {int(LIFETIME.total_seconds() // 60)} minutes")
    if not same(previewed, state):
        raise _outdated()


def _bound(body: str, actor: Actor) -> str:
    return f"preview\n{body}\n{actor.id}"


def _unless_typed(name: str | None, actor: Actor) -> str:
    typed = name is not None and actor.channel is Channel.CONSOLE
    return f", nor the name {name}" if typed else ""


def _required(why: str) -> Problem:
    error = FieldError(field="confirm", message=why)
    return ConfirmationRequired(f"confirm: {why}.", errors=[error], remedy=_HOW)


def _outdated() -> Problem:
    why = "is of a preview of another request or of another state: what would happen now differs from it"
    error = FieldError(field="confirm", message=why)
    return PreviewOutdated(f"confirm: {why}.", errors=[error], remedy=_HOW)
