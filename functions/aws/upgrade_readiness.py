"""What AWS says of a cluster, gathered to decide about an upgrade of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from functions.aws import addons, eks, eks_updates, hyperpod_software
from functions.clusters.upgrades.models import AddonFact, ControlPlane, Readiness
from functions.core.failures import code_of
from functions.features.rules import choose_version, facts_of, older

if TYPE_CHECKING:
    from collections.abc import Mapping

    from functions.clusters.upgrades.models import Insight
    from functions.core.cluster import ClusterNames


def control_plane(name: str) -> ControlPlane | None:
    """Read a control plane and where it moves to; None when there is none. Raises the client's own errors."""
    found = eks.describe_cluster(name)
    if found is None:
        return None
    running = eks_updates.running(name) if found.status == "UPDATING" else None
    return ControlPlane(name, found.status, found.version, running.version if running else None)


def gather(
    names: ClusterNames, plane: ControlPlane, offered: tuple[str, ...], target: str, settled: str | None
) -> Readiness:
    """Read add-ons, instance groups and insights. Raises the client's own errors, but for those about insights."""
    insights, unread = _insights(plane.name)
    return Readiness(
        control_plane=plane,
        offered=offered,
        addons=_addons(plane.name, addons.offered_for(target)),
        compute=hyperpod_software.describe(names.hyperpod_cluster),
        insights=insights,
        unread=unread,
        settled=settled,
    )


def _insights(cluster: str) -> tuple[tuple[Insight, ...] | None, str]:
    try:
        return eks_updates.insights(cluster), ""
    except ClientError as error:
        return None, f"AWS answered {error.operation_name} with {code_of(error)}"
    except BotoCoreError as error:
        return None, f"AWS did not answer ({type(error).__name__})"


def _addons(cluster: str, offered: Mapping[str, Mapping[str, bool]]) -> tuple[AddonFact, ...]:
    described = (addons.describe(cluster, name) for name in addons.names(cluster))
    installed = [addon for addon in described if addon]
    return tuple(AddonFact(each.name, each.version, _target(each, offered.get(each.name, {}))) for each in installed)


def _target(addon: addons.Addon, offered: Mapping[str, bool]) -> str | None:
    """Choose the default for the target; a newer version that fits it stays."""
    chosen = choose_version(offered, facts_of(addon.name).minimum)
    newer = chosen is not None and older(chosen, addon.version) and addon.version in offered
    return addon.version if newer else chosen
