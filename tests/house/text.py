"""What no committed file may say: one machine's paths, real account ids, addresses of package registries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.house.tree import Violation

# The accounts of AWS's own documentation.
EXAMPLE_ACCOUNTS: Final = {"111122223333", "123456789012"}
UUID: Final = re.compile(r"\b[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")
ACCOUNT: Final = re.compile(r"(?<![0-9A-Za-z_.+])\d{12}(?![0-9A-Za-z_])")
MACHINE_PATH: Final = re.compile(r"(?<![\w.\-/}])/(?:home/\w+|Users/\w+|root|work)/(?=\w)")
REGISTRY_HOSTS: Final = (
    r"pypi\.org",
    r"pythonhosted\.org",
    r"npmjs\.(?:org|com)",
    r"yarnpkg\.com",
    r"proxy\.golang\.org",
    r"crates\.io",
    r"repo1?\.maven",
)
REGISTRY: Final = re.compile(rf"https?://[^\s\"'<>]*(?:{'|'.join(REGISTRY_HOSTS)}|/simple/)")
ADDRESS_IN_LOCK: Final = re.compile(r"https?://|file:")
# A recipe's workspace runs inside an image and speaks of that image's paths.
OF_PODS: Final = re.compile(r"^functions/training/recipes/[^/]+/workspace/")


def speaks_of(path: str, line: str) -> Iterator[tuple[str, str]]:
    """What one line says that it must not, and why."""
    if not OF_PODS.match(path) and (found := MACHINE_PATH.search(line)):
        yield f"names the machine path {found.group()}...", "a commit works on every machine"
    for account in ACCOUNT.findall(UUID.sub("", line)):
        if account not in EXAMPLE_ACCOUNTS:
            examples = " or ".join(sorted(EXAMPLE_ACCOUNTS))
            yield f"holds the account id {account}", f"use a documentation example: {examples}"
    if REGISTRY.search(line):
        yield "names a package registry", "where packages come from is the machine's setting"
    if path.startswith("infra/locks/") and ADDRESS_IN_LOCK.search(line):
        yield "holds an address", "a lock carries hashes, not addresses"
    if path.endswith("package-lock.json") and '"resolved":' in line:
        yield "holds an address", "set omit-lockfile-registry-resolved: a lock carries hashes, not addresses"


def forbidden_text(root: Path, path: str) -> Iterator[Violation]:
    """Every forbidden phrase of one file; binary files are passed over."""
    raw = (root / path).read_bytes()
    if b"\0" in raw:
        return
    for number, line in enumerate(raw.decode("utf-8", errors="replace").splitlines(), 1):
        yield from (Violation(path, number, what, why) for what, why in speaks_of(path, line))
