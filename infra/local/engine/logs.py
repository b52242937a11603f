"""CloudWatch Logs: the host's clock.

moto drops log events that are older than 14 days or more than 2 hours ahead, by the machine's clock. The host's clock
starts and moves on its own, so that would be most of them.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from importlib import import_module

from infra.local.engine.patching import replace_global
from infra.local.engine.version import require_pinned_moto


def install(now: Callable[[], datetime]) -> None:
    """Adapt moto in this process; doing it again sets another clock."""
    require_pinned_moto()
    # moto keeps times without a zone and reads them as UTC.
    replace_global(import_module("moto.logs.models"), "utcnow", lambda: now().replace(tzinfo=None))
