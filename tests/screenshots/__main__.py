"""`python -m tests.screenshots [--only NAME ...] [--out FOLDER]`: the README's pictures, of the running product."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from infra.host.pages import BUILD
from infra.local import doors
from infra.local.host import Options
from infra.local.logs import functions_log_to
from infra.shapes import ROOT
from tests.e2e import browser as browsers
from tests.host.driver import Driver
from tests.host.states import START, lasting
from tests.screenshots.pictures import PICTURES, Picture
from tests.screenshots.story import Story, told

TARGET: Final = ROOT / "frontend" / "pictures"
# Of a person's screen, without what they would have to scroll to.
WIDTH: Final = 1280
LARGEST_BYTES: Final = 150_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Take the pictures; give 1 when one is too big for a README."""
    asked = _parser().parse_args(arguments)
    wanted = [picture for picture in PICTURES if not asked.only or picture.name in asked.only]
    asked.out.mkdir(parents=True, exist_ok=True)
    with _product() as (driver, origin), browsers.started() as browser:
        story = told(driver)
        sizes = {}
        for picture in wanted:
            with browsers.opened(browser, driver, origin, picture.scheme) as console:
                console.page.set_viewport_size({"width": WIDTH, "height": picture.height})
                sizes[picture.name] = _taken(picture, story, console, asked.out)
                sys.stdout.write(f"{picture.name:<20} {sizes[picture.name] / 1000:>6.1f} kB\n")
    if big := [name for name, size in sizes.items() if size > LARGEST_BYTES]:
        sys.stderr.write(f"Too big for a README: {', '.join(big)}. Make them less high.\n")
    return int(bool(big))


def _taken(picture: Picture, story: Story, console: browsers.Console, folder: Path) -> int:
    picture.walk(story, console)
    # Neither a spinner's angle nor a blinking caret is part of the picture.
    console.page.screenshot(path=folder / f"{picture.name}.png", animations="disabled", caret="hide")
    return (folder / f"{picture.name}.png").stat().st_size


@contextmanager
def _product() -> Iterator[tuple[Driver, str]]:
    """Run all of it on a clock that moves only where the story goes on."""
    if not (BUILD / "index.html").is_file():
        sys.exit("The console is not built: make console")
    os.environ["MOTO_EC2_LOAD_DEFAULT_AMIS"] = "false"
    with (
        tempfile.TemporaryDirectory() as folder,
        functions_log_to(Path(folder)),
        lasting(Options(Path(folder), start=START, console=BUILD)) as host,
        doors.opened(host) as opened,
        host.clock.busy(),
    ):
        yield Driver(host), opened.api


def _parser() -> argparse.ArgumentParser:
    names = [picture.name for picture in PICTURES]
    parser = argparse.ArgumentParser(prog="make screenshots", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=names, help="take these alone")
    parser.add_argument("--out", type=Path, default=TARGET, help="where to write them, instead of frontend/pictures")
    return parser


if __name__ == "__main__":
    sys.exit(main())
