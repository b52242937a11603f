"""Where clients, settings and time may come from, and what tests and typed rooms must not use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tests.house.imports import is_production
from tests.house.tree import Source, Violation

RUNTIME: Final = "functions/core/runtime.py"
CLIENTS: Final = {
    "boto3.Session",
    "boto3.client",
    "boto3.resource",
    "boto3.session",
    "boto3.setup_default_session",
    "botocore.session",
}
ENVIRONMENT: Final = {"os.environ", "os.environb", "os.getenv", "os.getenvb", "os.putenv"}
CLOCKS: Final = {
    "datetime.date.today",
    "datetime.datetime.now",
    "datetime.datetime.today",
    "datetime.datetime.utcnow",
    "time.localtime",
    "time.monotonic",
    "time.monotonic_ns",
    "time.perf_counter",
    "time.perf_counter_ns",
    "time.sleep",
    "time.time",
    "time.time_ns",
    "uuid.uuid1",
    "uuid.uuid4",
    "uuid.uuid6",
    "uuid.uuid7",
}
SLEEPS: Final = {"anyio.sleep", "asyncio.sleep", "time.sleep", "trio.sleep"}
ANY: Final = "typing.Any"


def one_runtime(source: Source) -> Iterator[Violation]:
    """Clients, settings and time come from core/runtime.py, bound to the invocation."""
    if not is_production(source) or source.path == RUNTIME:
        return
    why = f"clients, settings, time and chance come from {RUNTIME}, bound to the invocation"
    yield from uses(source, CLIENTS | ENVIRONMENT | CLOCKS, why)


def no_sleep_in_tests(source: Source) -> Iterator[Violation]:
    """A test waits for what it means, never for a length of time."""
    if source.parts[0] == "tests":
        yield from uses(source, SLEEPS, "a test moves the clock or waits for the event, it never sleeps")


def no_any(source: Source) -> Iterator[Violation]:
    """What Lambda runs says what it handles, at its edges too."""
    if source.parts[0] == "functions":
        lines = {item.line for item in source.imports if item.target == ANY}
        lines |= {use.line for use in source.references if use.name == ANY}
        why = "name the type: a model, JsonValue, or object and a check"
        yield from (Violation(source.path, line, f"uses {ANY}", why) for line in sorted(lines))


def uses(source: Source, names: set[str], why: str) -> Iterator[Violation]:
    """The places where a file imports one of the names, or uses it or anything under it; types do not count."""
    found = {(item.line, item.target) for item in source.imports}
    found |= {(use.line, use.name) for use in source.references if not use.in_annotation}
    hits = {(line, name) for line, used in found for name in names if f"{used}.".startswith(f"{name}.")}
    yield from (Violation(source.path, line, f"uses {name}", why) for line, name in sorted(hits))


RULES: Final = (one_runtime, no_sleep_in_tests, no_any)
