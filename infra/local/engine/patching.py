"""The two ways in which the engine's adaptations change moto: a method around the old one, another global."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType


def wrap(owner: type, name: str, around: Callable[[Callable[..., object]], Callable[..., object]]) -> None:
    """Replace a method by one built around it."""
    setattr(owner, name, around(getattr(owner, name)))


def replace_global(module: ModuleType, name: str, value: object) -> None:
    """Give a module another value for a global that it has; do nothing where it has none of that name."""
    if name in vars(module):
        vars(module)[name] = value
