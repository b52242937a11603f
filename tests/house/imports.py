"""Who may import whom: the product never sees its hosts, and every room keeps to itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tests.house.tree import Import, Source, Violation

ROOMS: Final = {"declaration", "models", "routes", "rules", "stages", "manifests"}
PURE_ROOMS: Final = {"models", "rules", "manifests"}
SHARED_LAYERS: Final = {"core", "aws", "kubernetes_api", "entry"}
DOORS: Final = ("functions.aws", "functions.kubernetes_api")
IMPURE: Final = (
    *DOORS,
    "functions.core.runtime",
    "functions.core.ledger",
    "asyncio",
    "boto3",
    "botocore",
    "http.client",
    "kubernetes",
    "os",
    "requests",
    "socket",
    "ssl",
    "subprocess",
    "tempfile",
    "threading",
    "time",
    "urllib.request",
    "urllib3",
)

# What the impure packages hold of pure code.
PURE: Final = ("functions.core.ledger.models",)


def is_production(source: Source) -> bool:
    """Whether the file is deployed: everything under functions/ and mcp_gateway/."""
    return source.parts[0] in ("functions", "mcp_gateway")


def room_of(parts: tuple[str, ...]) -> str | None:
    """The room that a module of a domain belongs to: its file, or the folder that splits that file."""
    if parts[:1] != ("functions",) or parts[1:2] == () or parts[1] in SHARED_LAYERS:
        return None
    return next((part for part in parts[2:] if part in ROOMS), None)


def hosts(source: Source) -> Iterator[Violation]:
    """Production code never imports what hosts or tests it."""
    if is_production(source):
        for item in source.imports:
            if item.within("infra", "tests"):
                yield at(source, item, "production code never knows what hosts or tests it")


def pure_rooms(source: Source) -> Iterator[Violation]:
    """Rules, models and manifests do no I/O."""
    room = room_of(source.parts)
    if room in PURE_ROOMS:
        for item in source.imports:
            if item.within(*IMPURE) and not item.within(*PURE):
                yield at(source, item, f"{room} are pure: no I/O, clock or environment; do it in stages or routes")


def doors(source: Source) -> Iterator[Violation]:
    """AWS and Kubernetes adapters are opened by stages and routes only."""
    if not is_production(source) or room_of(source.parts) in ("stages", "routes"):
        return
    for item in source.imports:
        for door in DOORS:
            if item.within(door) and source.parts[:2] != tuple(door.split(".")):
                yield at(source, item, "only stages and routes open the doors to AWS and Kubernetes")


def across_domains(source: Source) -> Iterator[Violation]:
    """One domain sees another's rules, models and manifests, and nothing else of it."""
    if not is_production(source):
        return
    allowed = PURE_ROOMS | also_allowed(source.parts)
    for item in source.imports:
        parts = tuple(item.target.split("."))
        if parts[0] != "functions" or len(parts) == 1 or parts[:2] == source.parts[:2]:
            continue
        if parts[1] == "entry":
            yield at(source, item, "entry holds handlers and is imported by hosts only")
        elif parts[1] not in SHARED_LAYERS and room_of(parts) not in allowed:
            yield at(source, item, f"of another domain only {', '.join(sorted(allowed))} may be imported here")


def also_allowed(parts: tuple[str, ...]) -> set[str]:
    """The rooms that composition may import on top of the pure ones."""
    if parts[:2] == ("functions", "entry"):
        return {"declaration", "routes", "stages"}
    if parts[0] == "mcp_gateway" or parts[:3] == ("functions", "core", "application"):
        return {"declaration"}
    return set()


def kubernetes_package(source: Source) -> Iterator[Violation]:
    """The kubernetes package lives behind its one door."""
    if is_production(source) and source.parts[:2] != ("functions", "kubernetes_api"):
        for item in source.imports:
            if item.within("kubernetes"):
                yield at(source, item, "only functions/kubernetes_api may use the kubernetes package")


def at(source: Source, item: Import, why: str) -> Violation:
    """A violation at one import."""
    return Violation(source.path, item.line, f"imports {item.target}", why)


RULES: Final = (hosts, pure_rooms, doors, across_domains, kubernetes_package)
