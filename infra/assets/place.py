"""Where assets are kept once made, and the limit that Lambda sets to them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from infra.shapes import ROOT

# A folder per asset, named after what it was made from: a change makes it anew, and nothing here is ever stale.
ASSETS: Final = ROOT / ".local" / "assets"
# Code and layers of a function together, unpacked. Source: Lambda quotas, "deployment package size".
UNPACKED_LIMIT: Final = 250 * 1024 * 1024


# The folder of what compiles to bytecode: a program for Node and the lock of its packages.
COMPILER: Final = Path(__file__).parent / "compiler"


class AssetFault(Exception):
    """An asset cannot be made here; the message says what to do."""


def rules() -> bytes:
    """Give what decides, besides locks and code, how an asset comes out: the text of this package."""
    package = Path(__file__).parent
    return b"".join(path.read_bytes() for path in sorted([*package.glob("*.py"), *COMPILER.glob("*.*")]))
