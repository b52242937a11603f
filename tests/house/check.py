"""All rules over one tree."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.house import effects, imports, layout, sizes
from tests.house.text import forbidden_text
from tests.house.tree import Source, Violation, parse, python_files, tracked, walked

SOURCE_RULES: Final = (*imports.RULES, *effects.RULES, *sizes.RULES)


def violations(root: Path) -> list[Violation]:
    """Everything under the root that breaks a house rule, in order of place."""
    return sorted(set(_found(root)))


def _found(root: Path) -> Iterator[Violation]:
    in_git = tracked(root)
    paths = walked(root) if in_git is None else in_git
    parsed = [parse(root, path) for path in python_files(paths)]
    readable = [source for source in parsed if isinstance(source, Source)]
    yield from (broken for broken in parsed if isinstance(broken, Violation))
    for source in readable:
        for rule in SOURCE_RULES:
            yield from rule(source)
    yield from sizes.small_median(readable)
    for path in paths:
        yield from forbidden_text(root, path)
    if in_git is not None:  # elsewhere nobody knows which files are the project's
        for layout_rule in layout.RULES:
            yield from layout_rule(paths)
