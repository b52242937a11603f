"""What a layer goes without, and why nobody misses it."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator
from pathlib import PurePosixPath
from typing import Final

from infra.shapes import ROOT

# The kubernetes package carries a second client, for asyncio, and asks for what that one needs; we use the first.
_ASYNCIO_CLIENT: Final = PurePosixPath("kubernetes/aio")
UNUSED_PACKAGES: Final = frozenset(
    {
        "aiohappyeyeballs",
        "aiohttp",
        "aiohttp-retry",
        "aiosignal",
        "attrs",
        "frozenlist",
        "multidict",
        "propcache",
        "yarl",
    }
)
# Scripts and styles are those of the Swagger page, which no route serves.
_UNREAD_SUFFIXES: Final = (".pyc", ".pyi", ".js", ".css")
_SERVICES: Final = PurePosixPath("botocore/data")
_RUNTIME: Final = ROOT / "functions" / "core" / "runtime.py"
_UNREAD_MODELS: Final = "examples-"
_PINNED: Final = re.compile(r"^([A-Za-z0-9._-]+)==")


def services() -> frozenset[str]:
    """Name the AWS services that functions have clients of: those that `functions.core.runtime` gives."""
    tree = ast.parse(_RUNTIME.read_text(encoding="utf-8"))
    named = [node.slice for node in ast.walk(tree) if isinstance(node, ast.Subscript) and _is_name(node.value)]
    literals = [each.value for each in named if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return frozenset(literals) | {"apigatewaymanagementapi"}


def _is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "Literal"


def kept_requirements(lock: str) -> str:
    """Leave the packages that nobody uses out of a lock's text, with their hashes."""
    blocks = re.split(r"\n(?=\S)", lock.strip())
    pinned = [(found[1], block) for block in blocks if (found := _PINNED.match(block))]
    return "".join(f"{block}\n" for name, block in pinned if name not in UNUSED_PACKAGES)


def kept_files(names: Iterable[PurePosixPath], called: Container[str]) -> Iterator[PurePosixPath]:
    """Give those of a layer's files that something may read, when the AWS services of `called` are all there are."""
    held = [name for name in names if not _is_unread(name)]
    newest = {service: version for service, version in _newest_models(held).items() if service in called}
    yield from (name for name in held if not name.is_relative_to(_SERVICES) or _is_read_model(name, newest))


def _is_unread(name: PurePosixPath) -> bool:
    return name.suffix in _UNREAD_SUFFIXES or name.is_relative_to(_ASYNCIO_CLIENT)


def _newest_models(names: Iterable[PurePosixPath]) -> dict[str, str]:
    """Say which version of each service's API botocore takes: the newest."""
    versions = defaultdict[str, set[str]](set)
    for name in names:
        if name.is_relative_to(_SERVICES) and len(parts := name.relative_to(_SERVICES).parts) > 2:
            versions[parts[0]].add(parts[1])
    return {service: max(found) for service, found in versions.items()}


def _is_read_model(name: PurePosixPath, newest: dict[str, str]) -> bool:
    """Whether botocore reads a file of its data for our clients; those at the top are of all services."""
    service, *rest = name.relative_to(_SERVICES).parts
    if not rest:
        return True
    return rest[0] == newest.get(service) and not rest[1].startswith(_UNREAD_MODELS)
