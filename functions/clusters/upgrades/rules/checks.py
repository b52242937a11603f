"""The checks of an upgrade, by name."""

from __future__ import annotations

from typing import Final

VERSION: Final = "upgrade_version"
STATUS: Final = "upgrade_status"
INSIGHT: Final = "upgrade_insight"
ADDON: Final = "upgrade_addon"
NODES: Final = "upgrade_nodes"
IMAGE: Final = "upgrade_custom_image"
ALARM: Final = "upgrade_alarms"
NOTHING: Final = "upgrade_nothing_to_do"
