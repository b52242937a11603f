"""A browser of this machine, and the console as somebody sees it there."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, expect, sync_playwright

from infra.shapes import ROOT
from tests.host.driver import Driver

if TYPE_CHECKING:
    from collections.abc import Sequence

Scheme = Literal["light", "dark"]
_NAMES: Final = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
_AXE: Final = ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
# Whatever leaves the machine finds nothing, and is told in the browser's console.
_ALONE: Final = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost"
_UNPACK: Final = "import('@sparticuz/chromium').then(each => each.default.executablePath()).then(console.log)"
_LIBRARIES: Final = Path("al2023", "lib")
# A machine that does other things as well takes its time; who waits for what comes loses nothing by it.
_PATIENCE_MILLISECONDS: Final = 30_000
OPERATIONS: Final = re.compile(r"/api/operations(\?|$)")
_RUN_AXE: Final = "() => axe.run({ resultTypes: ['violations'] })"
_IS_TOLD: Final = """topic => {
    const { tellsAll, told } = document.documentElement.dataset;
    const wanted = JSON.stringify(topic);
    return tellsAll === 'true' && (wanted === '{}' || JSON.parse(told).some(each => JSON.stringify(each) === wanted));
}"""
# What fades in is paler than it will be; what spins never ends, and is judged as it is.
_STANDS_STILL: Final = """() => document.getAnimations().every(
    each => each.playState !== 'running' || each.effect.getComputedTiming().endTime === Infinity)"""


@contextmanager
def started() -> Iterator[Browser]:
    """Start the machine's browser, which serves all tests of a process."""
    expect.set_options(timeout=_PATIENCE_MILLISECONDS)
    # A container's only user may be root, whom the sandbox refuses.
    sandbox = [] if os.geteuid() else ["--no-sandbox"]
    program = found()
    # Beside the browser from npm lie the libraries that a machine without any browser may lack.
    beside = program.parent / _LIBRARIES
    libraries = {"LD_LIBRARY_PATH": str(beside)} if beside.is_dir() else {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=[_ALONE, *sandbox], env={**os.environ, **libraries}
        )
        yield browser
        browser.close()


def found() -> Path:
    """Find the machine's browser, or else unpack the one that npm has."""
    named = [path for name in _NAMES if (path := shutil.which(name))]
    return Path(named[0]) if named else unpacked()


def unpacked(programs: Path = ROOT / ".venv" / "node") -> Path:
    """Unpack the browser among the programs of the test rings, and say where it is."""
    node, place = Path(sys.executable).parent / "node", programs.resolve() / "browser"
    place.mkdir(parents=True, exist_ok=True)
    # It unpacks its libraries only where it believes to be a function.
    told = {**os.environ, "TMPDIR": str(place), "AWS_LAMBDA_JS_RUNTIME": "nodejs22.x"}
    # Each process of the ring comes here, and none may start what another has half written.
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ran = subprocess.run([node, "-e", _UNPACK], cwd=programs, env=told, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, f"no browser here: install one of {', '.join(_NAMES)}, or run make test\n{ran.stderr}"
    return Path(ran.stdout.strip())


@dataclass
class Console:
    """The console in a page of its own, over a host whose time moves only where the test lets it."""

    page: Page
    driver: Driver
    origin: str
    complaints: list[str] = field(default_factory=list)
    _forgiven: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(_PATIENCE_MILLISECONDS)
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.complaints.append(f"unhandled: {error}"))

    def open(self, path: str = "/") -> None:
        """Go to an address as somebody types it, and wait until the page stands."""
        self.page.goto(f"{self.origin}{path}")
        expect(self.page.locator("h1")).to_be_visible()

    def sees(self, text: str) -> Locator:
        """Expect a text on the page, and give where it stands."""
        place = self.page.get_by_text(text).first
        expect(place).to_be_visible()
        return place

    def is_live(self, **topic: str | bool) -> None:
        """Wait until what the page watches is subscribed to: what happens from now on is told.

        Where the console went to another page by itself, `topic` says what that one watches: the one before is live.
        """
        self.page.wait_for_function(_IS_TOLD, arg=topic)

    def has_read(self) -> None:
        """Wait until nothing that the page asked for is on its way."""
        self.page.wait_for_function("() => document.documentElement.dataset.reading === 'false'")

    def flush(self) -> None:
        """Hear of every request that the page sent until now: they are told in their order."""
        with self.page.expect_response("**/config.json"):
            self.page.evaluate("() => fetch('/config.json').then(() => null)")

    def click(self, name: str, role: Literal["button", "link", "tab", "menuitem"] = "button") -> None:
        self.page.get_by_role(role, name=name, exact=True).first.click()

    def forgive(self, words: str) -> None:
        """Let the browser complain in these words: the test makes it."""
        self._forgiven.append(words)

    def lists_no_operations(self) -> None:
        """Let no list of operations be answered from now on: what is new is told, or not seen."""
        self.has_read()
        self.page.route(OPERATIONS, lambda _: None)

    def axe_clean(self) -> None:
        """Hold the page to the rules of axe, as it stands once nothing on it moves."""
        self.page.wait_for_function(_STANDS_STILL)
        self.page.evaluate(_AXE.read_text(encoding="utf-8"))
        found: dict[str, Any] = self.page.evaluate(_RUN_AXE)
        violations = [_told(violation) for violation in found["violations"]]
        assert not violations, violations

    def unforgiven(self) -> list[str]:
        """Give what the browser complained of, beside what the test forgives."""
        return [each for each in self.complaints if not any(words in each for words in self._forgiven)]

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text}")


def _told(violation: dict[str, Any]) -> tuple[str, Sequence[str]]:
    return str(violation["id"]), [str(node["html"])[:300] for node in violation["nodes"]]


@contextmanager
def opened(browser: Browser, driver: Driver, origin: str, scheme: Scheme = "light") -> Iterator[Console]:
    """Open a page that shares nothing with any other; whatever the browser complains of fails the test."""
    # What comes again while a page is judged would fade in again: people may ask for less of that, too.
    context = browser.new_context(
        color_scheme=scheme, locale="en-GB", timezone_id="Europe/Berlin", reduced_motion="reduce"
    )
    console = Console(context.new_page(), driver, origin)
    try:
        yield console
        complaints = console.unforgiven()
        assert not complaints, complaints
    finally:
        # A request that a test answers itself may be on its way still.
        console.page.unroute_all(behavior="ignoreErrors")
        context.close()
