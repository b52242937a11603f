"""What an upgrade's operation says that its stages work by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.clusters.upgrades.models import Rollout

if TYPE_CHECKING:
    from functions.core.stage import StageContext


def target_of(context: StageContext) -> str:
    """Give the Kubernetes version that the operation upgrades to."""
    return str(context.operation.request["kubernetes_version"])


def addon_version(context: StageContext, addon: str) -> str | None:
    """Give the version that the operation brings an add-on to; None where it leaves the add-on alone."""
    pinned = context.operation.request.get("addon_versions")
    found = pinned.get(addon) if isinstance(pinned, dict) else None
    return str(found) if found else None


def rollout_of(context: StageContext) -> Rollout:
    """Give how the operation's nodes are updated."""
    return Rollout.model_validate(context.operation.request.get("rollout") or {})
