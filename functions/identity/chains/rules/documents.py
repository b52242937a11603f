"""Reading IAM policy documents, in which one may stand for a list of one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pydantic import JsonValue

    Document = Mapping[str, JsonValue]


def statements(document: Document, effect: str) -> Iterator[Document]:
    """List the statements of an effect."""
    found = document.get("Statement")
    for each in found if isinstance(found, list) else [found]:
        if isinstance(each, dict) and each.get("Effect") == effect:
            yield each


def texts(value: JsonValue) -> list[str]:
    """List what is one text or a list of them."""
    return [str(each) for each in value] if isinstance(value, list) else [] if value is None else [str(value)]


def principals(statement: Document, kind: str) -> list[str]:
    """List the principals of a kind; `*` stands for all of them."""
    found = statement.get("Principal")
    return texts(found.get(kind)) if isinstance(found, dict) else texts(found)


def conditions(statement: Document) -> Iterator[tuple[str, str, list[str]]]:
    """List operator, key and values of each condition."""
    found = statement.get("Condition")
    for operator, tests in (found if isinstance(found, dict) else {}).items():
        for key, values in (tests if isinstance(tests, dict) else {}).items():
            yield operator, key, texts(values)


def allows(patterns: Iterable[str], action: str) -> bool:
    """Say whether any pattern of actions takes an action in; their case does not count."""
    return any(matches(pattern.lower(), action.lower()) for pattern in patterns)


def matches(pattern: str, text: str) -> bool:
    """Say whether a text matches a pattern of IAM, in which `*` is any text and `?` any character."""
    wild = "".join({"*": ".*", "?": "."}.get(each) or re.escape(each) for each in pattern)
    return re.fullmatch(wild, text, re.DOTALL) is not None
