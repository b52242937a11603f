"""The local host of the session, for the tests of the host itself and of what reaches it at its edge."""

from __future__ import annotations

from tests.host.states import *  # noqa: F403  # the list of fixtures is that module's __all__
