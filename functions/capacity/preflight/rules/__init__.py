"""What is wrong, or good to know, about the capacity that a request asks for: pure rules over gathered facts."""

from functions.capacity.preflight.rules.checks import check, needed
from functions.capacity.preflight.rules.placement import placed

__all__ = ["check", "needed", "placed"]
