"""What a synthesis came to, for people: resources, assets and their sizes, seconds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from infra.host.stack import MOST_RESOURCES, NAME

if TYPE_CHECKING:
    from collections.abc import Iterator


def report(assembly: Path, seconds: float, refused: str | None) -> str:
    """Describe an assembly; `refused` is why it must not be deployed."""
    template = json.loads((assembly / f"{NAME}.template.json").read_text(encoding="utf-8"))
    lines = [
        f"{NAME}: {len(template['Resources'])} resources of at most {MOST_RESOURCES}, {seconds:.1f} s, in {assembly}",
        *(f"  {size / 1000:>9,.0f} kB  {name}" for name, size in sorted(_assets(assembly), key=lambda a: -a[1])),
        *([f"It cannot be deployed: {refused}."] if refused else []),
    ]
    return "\n".join(lines) + "\n"


def _assets(assembly: Path) -> Iterator[tuple[str, int]]:
    manifest = json.loads((assembly / f"{NAME}.assets.json").read_text(encoding="utf-8"))
    for asset in manifest["files"].values():
        path = assembly / asset["source"]["path"]
        yield asset.get("displayName") or path.name, _size(path)


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())
