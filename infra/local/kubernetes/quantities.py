"""Kubernetes quantities (`500m`, `1200Gi`) and durations as `kubectl` shows them."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal

_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_FACTORS = {
    **{suffix: Decimal(10) ** power for suffix, power in _DECIMAL.items()},
    **{suffix: Decimal(2) ** power for suffix, power in _BINARY.items()},
}
_QUANTITY = re.compile(r"(?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:[eE](?P<power>[+-]?\d{1,3})|(?P<suffix>[a-zA-Z]*))")


def parse_quantity(written: str) -> Decimal:
    """The number a quantity stands for.

    Raises ValueError when it is not a quantity.
    """
    match = _QUANTITY.fullmatch(written)
    if match is None or (match["suffix"] or "") not in _FACTORS:
        raise ValueError(f"not a quantity: {written!r}")
    return Decimal(match["number"]).scaleb(int(match["power"] or 0)) * _FACTORS[match["suffix"] or ""]


def short_duration(elapsed: timedelta) -> str:
    """A duration in at most two units, as in the AGE column: `5m30s`, `3h`, `12d`."""
    seconds = int(elapsed.total_seconds())
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86400
    if seconds < 120:
        return f"{max(seconds, 0)}s"
    if minutes < 180:
        return _two_units(minutes, "m", seconds % 60, "s", exact=minutes < 10)
    if hours < 48:
        return _two_units(hours, "h", minutes % 60, "m", exact=hours < 8)
    if days < 730:
        return _two_units(days, "d", hours % 24, "h", exact=hours < 192)
    return _two_units(days // 365, "y", days % 365, "d", exact=days < 365 * 8)


def _two_units(large: int, large_unit: str, small: int, small_unit: str, exact: bool) -> str:
    return f"{large}{large_unit}{small}{small_unit}" if exact and small else f"{large}{large_unit}"
