"""The part of JSONPath that printer columns use: `.a.b`, `['a.b']`, `[0]`, `[*]` and `[?(@.x=="y")]`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from infra.local.kubernetes.documents import value_at

_STEP = re.compile(
    r"\.(?P<field>(?:\\.|[^.\[\]\\])+)"
    r"|\[['\"](?P<quoted>[^'\"]+)['\"]\]"
    r"|\[(?P<index>-?\d+)\]"
    r"|(?P<all>\[\*\]|\.\*)"
    r"|\[\?\(\s*@\.(?P<key>[^=\s]+)\s*==\s*['\"]?(?P<wanted>[^'\")]*)['\"]?\s*\)\]"
)


@dataclass(frozen=True)
class Step:
    """One step of a path: a field, an index, all items, or those whose field has a value."""

    field: str = ""
    index: int | None = None
    key: tuple[str, ...] = ()
    wanted: str = ""


def parse_path(written: str) -> tuple[Step, ...]:
    """The steps of a path; what is no step is passed over."""
    return tuple(_step(match) for match in _STEP.finditer(written))


def _step(match: re.Match[str]) -> Step:
    if match["index"] is not None:
        return Step(index=int(match["index"]))
    if match["key"] is not None:
        return Step(key=tuple(match["key"].split(".")), wanted=match["wanted"])
    return Step(field=(match["quoted"] or re.sub(r"\\(.)", r"\1", match["field"] or "")))


def values_at(document: object, path: tuple[Step, ...]) -> list[object]:
    """Every value that a path leads to."""
    found: list[object] = [document]
    for step in path:
        found = [inner for value in found for inner in _follow(value, step)]
    return found


def _follow(value: object, step: Step) -> Iterator[object]:
    if step.index is not None:
        if isinstance(value, list) and -len(value) <= step.index < len(value):
            yield value[step.index]
    elif step.key:
        items = value if isinstance(value, list) else []
        yield from (item for item in items if str(value_at(item, *step.key)) == step.wanted)
    elif step.field:
        if isinstance(value, dict) and step.field in value:
            yield value[step.field]
    elif isinstance(value, (list, dict)):
        yield from (value if isinstance(value, list) else value.values())
