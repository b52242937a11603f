"""What stands at the top of the repository, and where a page explains a folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Final

from tests.house.tree import Violation

TOP_LEVEL: Final = {
    "Makefile",
    "README.md",
    "cdk.json",
    "frontend",
    "functions",
    "infra",
    "mcp_gateway",
    "pyproject.toml",
    "skills",
    "statemachines",
    "tests",
}
ALSO_EXPLAINED: Final = {"infra/local", "infra/local/simulators", "infra/local/kubernetes"}


def top_level(paths: Iterable[str]) -> Iterator[Violation]:
    """Only the known folders and files, and dot files, stand at the top."""
    for name in sorted({PurePosixPath(path).parts[0] for path in paths}):
        if name not in TOP_LEVEL and not name.startswith("."):
            yield Violation(name, 1, "stands at the top level", f"only {', '.join(sorted(TOP_LEVEL))} do")


def readmes(paths: Iterable[str]) -> Iterator[Violation]:
    """Each top-level folder, and each part of the local host, has its one page."""
    held = set(paths)
    folders = {parent.as_posix() for path in held for parent in PurePosixPath(path).parents}
    explained = {name for name in folders if "/" not in name and not name.startswith(".")} | (ALSO_EXPLAINED & folders)
    for folder in sorted(explained):
        if f"{folder}/README.md" not in held:
            yield Violation(folder, 1, "has no README.md", "a page says what lives here, what does not, where to start")


RULES: Final = (top_level, readmes)
