"""The official conformance suite judges the gateway: with the product's tools, and with those it looks for."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.conformance.mcp import suite
from tests.conformance.mcp.conftest import Served

# A server that asks and logs on streams does what 2026-07-28 has put aside; here it does so for older revisions.
pytestmark = pytest.mark.filterwarnings("ignore:The .* capability is deprecated as of 2026-07-28")

# Scenarios that look for no tools, resources or prompts of the suite's own.
_OF_ANY_SERVER: Final = {
    "caching",
    "dns-rebinding-protection",
    "http-header-validation",
    "input-required-result-unsupported-methods",
    "ping",
    "prompts-list",
    "resources-list",
    "sep-2164-resource-not-found",
    "server-initialize",
    "server-session-lifecycle",
    "server-sse-multiple-streams",
    "server-stateless",
    "tools-list",
}
# That each message is one of the protocol's is judged whatever a scenario looks for.
_OF_ANY_MESSAGE: Final = "wire-schema-valid"
# Lower it with each line that leaves the file.
_MOST: Final = 23


@pytest.mark.parametrize("name", suite.SUITES)
def test_a_server_behind_the_gateways_door_fails_only_what_needs_a_stream(
    served: Served, tmp_path: Path, name: str
) -> None:
    verdicts = suite.run(name, served.everything, tmp_path)
    assert suite.failed(verdicts) == suite.expected()["everything"][name].keys()


@pytest.mark.parametrize("name", suite.SUITES)
def test_the_product_passes_what_any_server_has_to(served: Served, tmp_path: Path, name: str) -> None:
    verdicts = suite.run(name, served.product, tmp_path)
    judged = [each for each in verdicts if each.scenario in _OF_ANY_SERVER or each.check == _OF_ANY_MESSAGE]
    assert suite.failed(judged) == suite.expected()["product"][name].keys()


def test_expected_failures_have_reasons_and_become_fewer() -> None:
    runs = [checks for server in suite.expected().values() for checks in server.values()]
    reasons = [reason for checks in runs for reason in checks.values()]
    assert all(len(reason.split()) > 5 for reason in reasons)
    assert len(reasons) == _MOST
