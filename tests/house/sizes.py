"""Small files, small functions."""

from __future__ import annotations

import ast
import statistics
from collections.abc import Iterable, Iterator
from typing import Final

from tests.house.tree import PRODUCT, Source, Violation

MAX_FILE_LINES: Final = 350
MAX_FUNCTION_LINES: Final = 60
MEDIAN_FUNCTION_LINES: Final = 10

Function = ast.FunctionDef | ast.AsyncFunctionDef


def length(function: Function) -> int:
    """The lines of a function's body without its docstring."""
    body = function.body
    if ast.get_docstring(function) is not None and len(body) > 1:
        body = body[1:]
    return (body[-1].end_lineno or body[-1].lineno) - body[0].lineno + 1


def functions(source: Source) -> list[Function]:
    """All functions of a file, nested ones too."""
    return [node for node in ast.walk(source.tree) if isinstance(node, Function)]


def small_pieces(source: Source) -> Iterator[Violation]:
    """A file is read in one sitting, a function at one glance."""
    if source.parts[0] not in PRODUCT:
        return
    lines = source.text.count("\n")
    if lines > MAX_FILE_LINES:
        yield Violation(source.path, 1, f"has {lines} lines", f"a file has at most {MAX_FILE_LINES}: split it by room")
    for function in functions(source):
        if length(function) > MAX_FUNCTION_LINES:
            what = f"{function.name} has {length(function)} lines"
            yield Violation(source.path, function.lineno, what, f"a function has at most {MAX_FUNCTION_LINES}")


def small_median(all_sources: Iterable[Source]) -> Iterator[Violation]:
    """The usual function of the product is small."""
    lengths = [length(f) for source in all_sources if source.parts[0] in PRODUCT for f in functions(source)]
    if lengths and (median := statistics.median(lengths)) >= MEDIAN_FUNCTION_LINES:
        what = f"the product's median function has {median:g} lines"
        yield Violation("functions", 0, what, f"it stays under {MEDIAN_FUNCTION_LINES}")


RULES: Final = (small_pieces,)
