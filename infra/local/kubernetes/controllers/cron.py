"""Cron schedules: five fields, and when they next come true."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

_MACROS = {
    "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}  # fmt: skip
_RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
_NAMES = (
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
    ["sun", "mon", "tue", "wed", "thu", "fri", "sat"],
)
_FARTHEST = timedelta(days=4 * 366)


@dataclass(frozen=True)
class Schedule:
    """The minutes at which something happens."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    any_day: bool
    any_weekday: bool
    zone: str = "UTC"

    def after(self, moment: datetime) -> datetime | None:
        """The first time after a moment, None when there is none within four years."""
        zone = ZoneInfo(self.zone)
        local = moment.astimezone(zone).replace(second=0, microsecond=0) + timedelta(minutes=1)
        end = local + _FARTHEST
        while local < end:
            if local.month not in self.months or not self._on(local):
                local = local.replace(hour=0, minute=0) + timedelta(days=1)
            elif local.hour not in self.hours:
                local = local.replace(minute=0) + timedelta(hours=1)
            elif local.minute not in self.minutes:
                local += timedelta(minutes=1)
            else:
                return local.astimezone(UTC)
        return None

    def _on(self, day: datetime) -> bool:
        by_date, by_weekday = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        if self.any_day or self.any_weekday:
            return by_date and by_weekday
        return by_date or by_weekday


def parse(written: str, zone: str = "") -> Schedule:
    """Read a schedule.

    Raises ValueError when it is none, or the time zone is unknown.
    """
    fields = _MACROS.get(written.strip(), written).split()
    if len(fields) != len(_RANGES):
        raise ValueError(f"expected exactly 5 fields, found {len(fields)}: {written!r}")
    try:
        ZoneInfo(zone or "UTC")
    except (KeyError, OSError) as error:
        raise ValueError(f"unknown time zone {zone}") from error
    minutes, hours, days, months, weekdays = (_field(field, number) for number, field in enumerate(fields))
    weekdays = frozenset(day % 7 for day in weekdays)
    return Schedule(minutes, hours, days, months, weekdays, fields[2][0] in "*?", fields[4][0] in "*?", zone or "UTC")


def _field(field: str, number: int) -> frozenset[int]:
    return frozenset(value for part in field.split(",") for value in _part(part, number))


def _part(part: str, number: int) -> range:
    low, high = _RANGES[number]
    span, slash, step = part.partition("/")
    if span in ("*", "?"):
        first, last = low, high
    else:
        start, dash, end = span.partition("-")
        first = _value(start, number)
        last = _value(end, number) if dash else high if slash else first
    width = int(step) if slash else 1
    if not low <= first <= last <= high or width < 1:
        raise ValueError(f"out of range: {part!r}")
    return range(first, last + 1, width)


def _value(written: str, number: int) -> int:
    if number in (3, 4) and written.lower() in _NAMES[number - 3]:
        return _NAMES[number - 3].index(written.lower()) + (1 if number == 3 else 0)
    return int(written)
