"""Turns a context that was refused into one sentence: the key, the cause, the remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from infra.host.context import KEY, Context

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

_BY_US: Final = "Value error, "


def complaint(error: ValidationError) -> str:
    """Say what is wrong with the first key that was refused; the next attempt tells of the others."""
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in (KEY, *first["loc"]))
    return f"The context {where} of cdk.json or -c is refused: {_cause(first)}"


def _cause(found: ErrorDetails) -> str:
    if found["type"] == "extra_forbidden":
        return f"there is no such choice; remove it, or write one of {', '.join(Context.model_fields)}."
    if found["type"] == "value_error":
        return found["msg"].removeprefix(_BY_US)
    return f"{_lower(found['msg'])}, and {found['input']!r} was given; write that, or remove the key for its default."


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
