"""The adaptations reach into moto's internals; they hold for one version and refuse every other."""

from __future__ import annotations

from importlib.metadata import version

PINNED = "5.2.5"


def require_pinned_moto() -> None:
    """Raise RuntimeError unless the moto that the adaptations were written for is installed."""
    found = version("moto")
    if found != PINNED:
        raise RuntimeError(
            f"moto {found} is installed, the engine's adaptations hold for {PINNED}: "
            "install infra/locks/local.txt, or check every module of infra/local/engine against the new version"
        )
