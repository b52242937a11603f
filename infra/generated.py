"""Files that are written from other files and kept in git: one way to write them, and to find those that are stale."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path


def main(
    target: str, made: Callable[[], Mapping[Path, str]], about: str | None, arguments: Sequence[str] | None = None
) -> int:
    """Write the files of `make <target>`, or with --check name those that are stale; give the exit status."""
    parser = argparse.ArgumentParser(prog=f"make {target}", description=about)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a file is stale")
    check = parser.parse_args(arguments).check
    stale = {path: text for path, text in made().items() if not _is(path, text)}
    for path, text in stale.items():
        if check:
            print(f"{path.name} is stale: run `make {target}`", file=sys.stderr)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return int(check and bool(stale))


def _is(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text
