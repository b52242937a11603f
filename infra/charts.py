"""The charts of a release: `python -m infra.charts` fetches them by commit, checks them and packs them.

A chart comes from a git repository at one commit; the git tree id of its folder is its digest. An empty digest in
`infra/charts.lock` is filled in, a different one is refused, so what is packed is what was looked at.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from infra.local.helm_binary import helm_program

if TYPE_CHECKING:
    from collections.abc import Sequence

LOCK = Path(__file__).resolve().parent / "charts.lock"
PACKED = Path(__file__).resolve().parent.parent / ".local" / "charts"


class ChartRefused(Exception):
    """A chart is not what the lock says, or the lock does not say what it is."""


@dataclass(frozen=True)
class LockedChart:
    """One chart of the lock; `digest` is empty until `make charts` has looked at it."""

    release: str
    namespace: str
    version: str
    repository: str
    commit: str
    path: str
    digest: str


def locked(lock: Path = LOCK) -> list[LockedChart]:
    """Read the lock."""
    return [LockedChart(**entry) for entry in tomllib.loads(lock.read_text(encoding="utf-8"))["chart"]]


def deployable(lock: Path = LOCK) -> list[LockedChart]:
    """Read the lock for a deployment; raises ChartRefused while a digest is empty."""
    charts = locked(lock)
    unchecked = [chart.release for chart in charts if not chart.digest]
    if unchecked:
        raise ChartRefused(
            f"no digest for {', '.join(unchecked)} in {lock.name}: run `make charts` and look at the result"
        )
    return charts


def packed(chart: LockedChart, directory: Path = PACKED) -> Path:
    """Find the archive of a packed chart; raises ChartRefused when there is none, or more than one."""
    found = [*(directory / chart.release).glob("*.tgz")]
    if len(found) != 1:
        raise ChartRefused(f"{len(found)} archives of {chart.release} are in {directory}: run `make charts`")
    return found[0]


def fetch(chart: LockedChart, directory: Path) -> Path:
    """Check a chart's folder out of its repository; raises ChartRefused when its tree is not the locked one."""
    _git(directory, "init", "--quiet")
    _git(directory, "fetch", "--quiet", "--depth", "1", chart.repository, chart.commit)
    found = _git(directory, "rev-parse", f"FETCH_HEAD:{chart.path}").strip()
    if chart.digest and found != chart.digest:
        raise ChartRefused(f"{chart.release}: the tree of {chart.path} is {found}, the lock says {chart.digest}")
    _git(directory, "checkout", "--quiet", "FETCH_HEAD", "--", chart.path)
    return directory / chart.path


def tree_id(chart: LockedChart, directory: Path) -> str:
    """Give the git tree id of a fetched chart."""
    return _git(directory, "rev-parse", f"FETCH_HEAD:{chart.path}").strip()


def fill(lock: Path, chart: LockedChart, digest: str) -> None:
    """Write the digest of a chart that has none yet."""
    text = lock.read_text(encoding="utf-8")
    head, separator, entry = text.partition(f'release = "{chart.release}"')
    lock.write_text(head + separator + entry.replace('digest = ""', f'digest = "{digest}"', 1), encoding="utf-8")


def pack(source: Path, helm: Path, target: Path) -> None:
    """Fetch a chart's own dependencies and pack it, in the place of what was packed before."""
    target.mkdir(parents=True, exist_ok=True)
    for former in target.glob("*.tgz"):
        former.unlink()
    subprocess.run([helm, "dependency", "build", source], check=True)
    subprocess.run([helm, "package", source, "--destination", target], check=True)


def main(arguments: Sequence[str] | None = None, lock: Path = LOCK) -> int:
    """Fetch, check and pack every chart; give the exit status."""
    parser = argparse.ArgumentParser(prog="python -m infra.charts", description=__doc__)
    parser.add_argument("--target", type=Path, default=PACKED)
    parser.add_argument("--helm", type=Path, help="a helm 4 program; the environment's own when not given")
    wanted = parser.parse_args(arguments)
    for chart in locked(lock):
        with tempfile.TemporaryDirectory() as scratch:
            try:
                source = fetch(chart, Path(scratch))
            except ChartRefused as refused:
                sys.stderr.write(f"{refused}\n")
                return 1
            except subprocess.CalledProcessError as failed:
                sys.stderr.write(f"{chart.release}: {failed.stderr.strip()}\nIs {chart.repository} within reach?\n")
                return 1
            if not chart.digest:
                fill(lock, chart, tree_id(chart, Path(scratch)))
            pack(source, wanted.helm or helm_program(), wanted.target / chart.release)
    return 0


def _git(directory: Path, *arguments: str) -> str:
    command = ["git", "-C", str(directory), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
