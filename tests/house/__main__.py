"""Prints every violation of the house rules and exits 1 when there is one."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.house.check import violations


def main() -> int:
    """Check the repository around this package."""
    found = violations(Path(__file__).parents[2])
    for violation in found:
        print(violation)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
