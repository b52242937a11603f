"""How a notice is written: a subject that SNS takes, and a text of named lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from datetime import datetime

# SNS API reference, Publish: a subject has less than 100 characters, all of them ASCII, and no line breaks.
MAX_SUBJECT: Final = 99
# A message has at most 256 KB; what people read in an e-mail is far less.
MAX_PART: Final = 2000
_CUT: Final = "..."


def subject(words: str) -> str:
    """Write words as a subject."""
    line = " ".join(words.encode("ascii", "replace").decode("ascii").split())
    printable = "".join(each if each.isprintable() else "?" for each in line)
    return printable if len(printable) <= MAX_SUBJECT else printable[: MAX_SUBJECT - len(_CUT)] + _CUT


def text(headline: str, **parts: str | None) -> str:
    """Write a headline and what there is to say by name, `two_words` as `Two words`."""
    named = [f"{name.replace('_', ' ').capitalize()}: {value[:MAX_PART]}" for name, value in parts.items() if value]
    return "\n".join([headline, "", *named]) + "\n"


def operation_link(console: str | None, operation_id: str) -> str:
    """Say where an operation is to be seen."""
    return f"{console}/operations/{operation_id}" if console else f"GET /api/operations/{operation_id}"


def cluster_link(console: str | None, tag: str) -> str:
    """Say where a cluster is to be seen."""
    return f"{console}/clusters/{tag}" if console else f"GET /api/clusters/{tag}"


def moment(at: datetime) -> str:
    """Write an instant for people."""
    return f"{at:%Y-%m-%d %H:%M} UTC"
