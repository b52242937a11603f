"""The local host of the session, for the tests of the state machines that run on it."""

from __future__ import annotations

from tests.host.states import (
    created_state,
    driver,
    driver_of_base,
    driver_of_prepared,
    driver_of_ready,
    empty_state,
    founded_state,
    prepared_state,
    session_host,
    standing_time,
)

__all__ = [
    "created_state",
    "driver",
    "driver_of_base",
    "driver_of_prepared",
    "driver_of_ready",
    "empty_state",
    "founded_state",
    "prepared_state",
    "session_host",
    "standing_time",
]
