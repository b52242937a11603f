"""EKS bearer tokens on the clock: their signature dates are real, so their age has to be told apart from them."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Final

TOKEN_SECONDS: Final = 15 * 60
_REMEMBERED: Final = 1_000


class SeenTokens:
    """Lets a token expire 15 clock minutes after it was first seen; keeps hashes, and only so many."""

    def __init__(self, time: Callable[[], float]) -> None:
        self._time = time
        self._first_seen: OrderedDict[str, float] = OrderedDict()
        self._lock = Lock()

    def valid(self, token: str) -> bool:
        """Note a token and say whether it is still young enough."""
        name = hashlib.sha256(token.encode()).hexdigest()
        with self._lock:
            first = self._first_seen.setdefault(name, self._time())
            if len(self._first_seen) > _REMEMBERED:
                self._first_seen.popitem(last=False)
        return self._time() - first < TOKEN_SECONDS
