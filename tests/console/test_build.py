"""What is built: small enough to land on, and able to run under the deployment's policy."""

from __future__ import annotations

import gzip
import re
from typing import Final

import pytest

from infra.host.pages import BUILD

# The gzipped script of the landing route. The pages themselves come when somebody goes there.
MOST_BYTES: Final = 350 * 1024
INDEX: Final = BUILD / "index.html"


@pytest.fixture(scope="module")
def document() -> str:
    assert INDEX.is_file(), "the console is not built: make console"
    return INDEX.read_text(encoding="utf-8")


def test_the_landing_route_loads_at_most_350_kb_of_script(document: str) -> None:
    named = re.findall(r'(?:src|href)="/(assets/[^"]+\.js)"', document)
    assert named
    # Who has to sign in loads that, too.
    files = [*(BUILD / name for name in named), *BUILD.glob("assets/pkce-*.js")]
    sizes = {path.name: len(gzip.compress(path.read_bytes())) for path in files}
    assert sum(sizes.values()) <= MOST_BYTES, sizes


def test_no_script_stands_in_the_document_and_none_comes_from_elsewhere(document: str) -> None:
    scripts = re.findall(r"<script\b([^>]*)>(.*?)</script>", document, re.DOTALL)
    assert [content.strip() for _, content in scripts] == [""]
    assert re.findall(r'(?:src|href)="(?!/)', document) == []
