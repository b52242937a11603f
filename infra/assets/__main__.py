"""`python -m infra.assets`: make every asset of a deployment that is not there yet, and print their sizes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from infra.assets.archive import unpacked_bytes
from infra.assets.code import code
from infra.assets.layers import HELM_ARCHITECTURE, layer, twin
from infra.shapes import Weight

_ARCHITECTURES = {weight: HELM_ARCHITECTURE if weight is Weight.HELM else "arm64" for weight in Weight}


def main() -> None:
    """Print the sizes; twins for this machine are made too, so that tests find them."""
    sys.stdout.write("\n".join(lines()) + "\n")
    for weight in Weight:
        twin(weight)


def lines() -> Iterator[str]:
    """Tell the sizes of what a deployment uploads, unpacked, as Lambda counts them."""
    yield f"{'asset':<12} {'for':<8} {'MB unpacked':>11}"
    yield _line("code", "all", code())
    for weight, architecture in _ARCHITECTURES.items():
        yield _line(weight, architecture, layer(weight, architecture))


def _line(name: str, architecture: str, archive: Path) -> str:
    return f"{name:<12} {architecture:<8} {unpacked_bytes(archive) / 1e6:>11.1f}"


if __name__ == "__main__":
    main()
