"""What AWS says of a cluster, gathered to decide about an upgrade of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.aws import addons, eks, eks_updates, hyperpod_software
from functions.clusters.upgrades.models import AddonFact, ControlPlane, Readiness
from functions.clusters.upgrades.rules.findings import ADDON, INSIGHT, NODES, STATUS, VERSION
from functions.features.rules import choose_version, facts_of, older

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from functions.core.cluster import ClusterNames
    from functions.core.gathering import Gathering


def begin(name: str, look: Gathering) -> tuple[ControlPlane | None, tuple[str, ...] | None]:
    """Read a control plane, None when there is none, and the versions that EKS offers, None when it does not tell.

    Raises the problem that keeps the control plane from being read: nothing can be said without it.
    """
    plane = look.ask(STATUS, lambda: _control_plane(name))
    offered = look.ask(VERSION, lambda: tuple(eks.offered_versions()))
    look.make()
    return plane.required(name), offered.value


def gather(
    names: ClusterNames,
    plane: ControlPlane,
    offered: tuple[str, ...] | None,
    target: str,
    settled: str | None,
    look: Gathering,
) -> Readiness:
    """Read add-ons, instance groups and insights; `look` tells of what does not come to an end."""
    installed = look.ask(ADDON, lambda: _installed(plane.name))
    versions = look.ask(ADDON, lambda: addons.offered_for(target))
    compute = look.ask(NODES, lambda: hyperpod_software.describe(names.hyperpod_cluster))
    insights = look.ask(INSIGHT, lambda: eks_updates.insights(plane.name), wanted=target != plane.version)
    look.make()
    return Readiness(
        control_plane=plane,
        offered=offered,
        addons=_addons(installed.value, versions.value),
        addons_denied=installed.denied or versions.denied,
        compute=compute.value,
        compute_known=compute.answered,
        insights=insights.value,
        settled=settled,
    )


def _control_plane(name: str) -> ControlPlane | None:
    found = eks.describe_cluster(name)
    if found is None:
        return None
    running = eks_updates.running(name) if found.status == "UPDATING" else None
    return ControlPlane(name, found.status, found.version, running.version if running else None)


def _installed(cluster: str) -> list[addons.Addon]:
    described = (addons.describe(cluster, name) for name in addons.names(cluster))
    return [addon for addon in described if addon]


def _addons(
    installed: Sequence[addons.Addon] | None, offered: Mapping[str, Mapping[str, bool]] | None
) -> tuple[AddonFact, ...] | None:
    if installed is None or offered is None:
        return None
    return tuple(AddonFact(each.name, each.version, _target(each, offered.get(each.name, {}))) for each in installed)


def _target(addon: addons.Addon, offered: Mapping[str, bool]) -> str | None:
    """Choose the default for the target; a newer version that fits it stays."""
    chosen = choose_version(offered, facts_of(addon.name).minimum)
    newer = chosen is not None and older(chosen, addon.version) and addon.version in offered
    return addon.version if newer else chosen
