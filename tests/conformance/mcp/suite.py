"""The official conformance suite: its programs run against a server, and what each of their checks came to."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml

from tests.infrastructure import outsiders

_PACKAGES: Final = outsiders.ENVIRONMENTS / "node" / "node_modules"
_NEXT: Final = _PACKAGES / "mcp-conformance-next"
EXPECTED: Final = Path(__file__).with_name("expected_failures.yaml")
_FOLDER: Final = re.compile(r"server-(?P<scenario>.+)-\d{4}-\d\d-\d\dT[\d-]+Z")
# Of an extension of the protocol that the gateway does not offer; no revision asks for it.
_EXTENSION: Final = "tasks-"
_SHOWN: Final = ("SUCCESS", "INFO", "SKIPPED")


@dataclass(frozen=True)
class Suite:
    """One way to run the suite; `revision` names the list of scenarios that all have to be run."""

    package: Path
    arguments: tuple[str, ...]
    revision: str

    def required(self) -> set[str]:
        """Name the scenarios for servers that the revision demands."""
        listed = yaml.safe_load((_NEXT / "requirements" / f"{self.revision}.yaml").read_text(encoding="utf-8"))
        return set(listed["server"])


SUITES: Final = {
    "stable": Suite(_PACKAGES / "@modelcontextprotocol" / "conformance", ("--suite", "all"), "2025-11-25"),
    "2025-11-25": Suite(_NEXT, ("--requirements", "2025-11-25"), "2025-11-25"),
    "2026-07-28": Suite(_NEXT, ("--requirements", "2026-07-28"), "2026-07-28"),
}


@dataclass(frozen=True)
class Verdict:
    """What one check came to; a warning counts as a failure here."""

    scenario: str
    check: str
    status: str
    why: str

    @property
    def name(self) -> str:
        """Name it as the suite's own files of expected failures do."""
        return f"{self.scenario}:{self.check}"

    @property
    def failed(self) -> bool:
        """Say whether it does not show what it is there to show."""
        return self.status not in _SHOWN


def run(name: str, url: str, folder: Path) -> list[Verdict]:
    """Run a suite against a server; give the verdicts of all its scenarios."""
    suite = SUITES[name]
    script = suite.package / "dist" / "index.js"
    done = outsiders.run("node", script, "server", "--url", url, "-o", folder, *suite.arguments)
    verdicts = [each for each in _verdicts(folder) if not each.scenario.startswith(_EXTENSION)]
    untold = suite.required() - {each.scenario for each in verdicts}
    # A scenario may have nothing to say, but it has to be run.
    unrun = {each for each in untold if f"=== Running scenario: {each} ===" not in done.stdout}
    assert not unrun, f"{sorted(unrun)} were not run:\n{done.stdout}{done.stderr}"
    return verdicts


def _verdicts(folder: Path) -> Iterator[Verdict]:
    for result in sorted(folder.glob("*/checks.json")):
        found = _FOLDER.fullmatch(result.parent.name)
        assert found, result
        for check in json.loads(result.read_text(encoding="utf-8")):
            why = check.get("errorMessage") or json.dumps(check.get("details"))
            yield Verdict(found["scenario"], check["id"], check["status"], why)


def failed(verdicts: Iterable[Verdict]) -> set[str]:
    """Name the checks that failed, and print why."""
    found = [each for each in verdicts if each.failed]
    for each in found:
        print(f"{each.name} {each.status}: {each.why}")
    return {each.name for each in found}


def expected() -> dict[str, dict[str, dict[str, str]]]:
    """Read what is expected to fail: by server and suite, each check with the reason."""
    read = yaml.safe_load(EXPECTED.read_text(encoding="utf-8"))
    # YAML takes the name of a revision for a date.
    return {server: {str(name): checks for name, checks in runs.items()} for server, runs in read.items()}
