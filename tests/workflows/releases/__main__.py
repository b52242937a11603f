"""`python -m tests.workflows.releases freeze <name>`: keeps what the present release leaves running."""

from __future__ import annotations

import argparse
import re
import sys

from tests.workflows.releases.freezing import freeze

_NAME = re.compile(r"\d+\.\d+(\.\d+)?")


def main() -> int:
    """Read the command line, and give the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.workflows.releases", description=__doc__)
    parser.add_argument("command", choices=["freeze"])
    parser.add_argument("name", type=_name, help="of the release, such as 0.2")
    wanted = parser.parse_args()
    sys.stdout.write(f"Frozen in {freeze(wanted.name)}; the release before it is kept no longer.\n")
    return 0


def _name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text} is no name of a release: write numbers with dots, such as 0.2")
    return text


if __name__ == "__main__":
    sys.exit(main())
