"""What the rules read: the repository's files, parsed once, with every name traced back to its import."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Final

WALK_SKIPS: Final = {"node_modules", "__pycache__", "cdk.out"}
PYTHON: Final = f"{sys.version_info.major}.{sys.version_info.minor}"
PRODUCT: Final = ("functions", "mcp_gateway", "infra")


@dataclass(frozen=True, order=True)
class Violation:
    """One broken rule: where, what was found, and why it is refused."""

    path: str
    line: int
    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}, {self.why}"


@dataclass(frozen=True)
class Import:
    """One imported name with its full dotted address."""

    target: str
    alias: str
    line: int

    def within(self, *packages: str) -> bool:
        return any(self.target == package or self.target.startswith(f"{package}.") for package in packages)


@dataclass(frozen=True)
class Reference:
    """One use of an imported name, as its full dotted address."""

    name: str
    line: int
    in_annotation: bool


class Source:
    """One Python file of the repository."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.tree = ast.parse(text, filename=path)

    @property
    def parts(self) -> tuple[str, ...]:
        return PurePosixPath(self.path).with_suffix("").parts

    @cached_property
    def imports(self) -> list[Import]:
        return [item for node in ast.walk(self.tree) for item in self._imported(node)]

    @cached_property
    def references(self) -> list[Reference]:
        """Every dotted name the file uses, resolved through its imports."""
        known = {item.alias: item.target for item in self.imports}
        annotations = annotation_nodes(self.tree)
        found: list[Reference] = []
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Attribute | ast.Name):
                head, dot, rest = dotted(node).partition(".")
                if head in known:
                    found.append(Reference(f"{known[head]}{dot}{rest}", node.lineno, id(node) in annotations))
        return found

    def _imported(self, node: ast.AST) -> Iterator[Import]:
        if isinstance(node, ast.Import):
            for name in node.names:
                yield Import(name.name, name.asname or name.name.partition(".")[0], node.lineno)
                if not name.asname and "." in name.name:
                    # `import a.b` binds `a`; a second row lets the reference `a.b.c` resolve to itself.
                    yield Import(name.name.partition(".")[0], name.name.partition(".")[0], node.lineno)
        elif isinstance(node, ast.ImportFrom):
            package = self._absolute(node)
            for name in node.names:
                yield Import(f"{package}.{name.name}".strip("."), name.asname or name.name, node.lineno)

    def _absolute(self, node: ast.ImportFrom) -> str:
        module = node.module or ""
        if not node.level:
            return module
        # A package's __init__ is one level deeper than its dotted name, exactly like a module beside it.
        parents = self.parts[: len(self.parts) - node.level]
        return ".".join([*parents, module]).strip(".")


def dotted(node: ast.AST) -> str:
    """The dotted name that an expression spells, or an empty string."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (head := dotted(node.value)):
        return f"{head}.{node.attr}"
    return ""


def annotation_nodes(tree: ast.Module) -> set[int]:
    """The identities of all nodes inside annotations: naming a type there neither builds nor reads anything."""
    roots: list[ast.AST | None] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            roots.append(node.returns)
        elif isinstance(node, ast.arg | ast.AnnAssign):
            roots.append(node.annotation)
    return {id(inner) for root in roots if root is not None for inner in ast.walk(root)}


def tracked(root: Path) -> list[str] | None:
    """The files git holds or would hold, or None where there is no git checkout."""
    command = ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    if done.returncode or not (root / ".git").exists():
        return None
    return sorted(path for path in set(done.stdout.split("\0")) if path and (root / path).is_file())


def walked(root: Path) -> list[str]:
    """The files of a tree that is not a checkout: all but hidden, fetched and generated ones."""
    found: list[str] = []
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in WALK_SKIPS and not name.startswith(".")]
        found += [(Path(folder) / name).relative_to(root).as_posix() for name in files]
    return sorted(found)


def python_files(paths: list[str]) -> list[str]:
    """The Python files among the paths; a recipe's workspace runs on pods and is none of ours."""
    return [path for path in paths if path.endswith(".py") and "/workspace/" not in path]


def parse(root: Path, path: str) -> Source | Violation:
    """One parsed file, or the reason why it does not parse."""
    try:
        return Source(path, (root / path).read_text(encoding="utf-8"))
    except SyntaxError as error:
        return Violation(path, error.lineno or 0, "does not parse", f"{error.msg} (Python {PYTHON})")
