"""Which cases of the public case log the tests show, read from their `case` marks."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]
ALL_CASES = range(1, 83)
REQUIRED = {*range(1, 17), *range(22, 28), *range(31, 37), 40, 41, 42, 60, *range(68, 78)}


def marked_cases(source: str) -> set[int]:
    return {number for node in ast.walk(ast.parse(source)) for number in numbers_of(node)}


def numbers_of(node: ast.AST) -> Iterator[int]:
    """The numbers of one `@case(1)` or `pytest.mark.case(1, 2)`, as a decorator or among a parameter's marks."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("case", "mark.case", "pytest.mark.case"):
        for argument in node.args:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, int):
                yield argument.value


def covered() -> dict[int, list[str]]:
    """Every covered case with the test files that show it."""
    found: dict[int, list[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        if path != Path(__file__):
            for number in marked_cases(path.read_text(encoding="utf-8")):
                found.setdefault(number, []).append(path.relative_to(TESTS).as_posix())
    return dict(sorted(found.items()))


def test_the_required_cases_are_covered() -> None:
    missing = sorted(REQUIRED - covered().keys())
    assert not missing, f"no test is marked with these required cases: {missing}; covered are {covered()}"


def test_every_mark_names_a_case_that_exists() -> None:
    unknown = {number: files for number, files in covered().items() if number not in ALL_CASES}
    assert not unknown, f"the case log holds 1 to {ALL_CASES[-1]}; these marks name none of them: {unknown}"


def test_marks_are_read_wherever_pytest_reads_them() -> None:
    source = """
@case(1)
def test_a(): ...
@pytest.mark.case(2, 3)
def test_b(): ...
rows = [pytest.param(0, marks=pytest.mark.case(4)), showcase(5), pytest.mark.slow(6)]
"""
    assert marked_cases(source) == {1, 2, 3, 4}
