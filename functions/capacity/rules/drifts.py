"""How a HyperPod cluster differs from what was asked for, and what of a repair cannot be taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from functions.core.drifts import ABSENT, Drift, drift

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from functions.core.cluster import ClusterSpec, DesiredGroup

CLUSTER: Final = "HyperPod cluster"
GROUP: Final = "instance group"
SCRIPT: Final = "lifecycle script"
STAGE: Final = "hyperpod_cluster"
COUNT: Final = "count"
RECOVERY: Final = "node recovery"


class Taint(Protocol):
    """A taint as HyperPod tells it."""

    @property
    def key(self) -> str:
        """Give its key."""

    @property
    def value(self) -> str | None:
        """Give its value."""

    @property
    def effect(self) -> str:
        """Give its effect."""


class Group(Protocol):
    """An instance group as HyperPod tells it."""

    @property
    def name(self) -> str:
        """Give its name."""

    @property
    def types(self) -> Sequence[str]:
        """Give its instance types."""

    @property
    def target(self) -> int:
        """Give how many instances it is to have."""

    @property
    def capacity_type(self) -> str:
        """Say how it is paid for."""

    @property
    def labels(self) -> Mapping[str, str]:
        """Give the labels that its nodes are to have."""

    @property
    def taints(self) -> Sequence[Taint]:
        """Give the taints that its nodes are to have."""


def drifts_of(spec: ClusterSpec, groups: Iterable[Group], recovers: bool | None) -> list[Drift]:
    """List what differs of a HyperPod cluster that stands; groups of others are told and left alone."""
    standing = {group.name: group for group in groups}
    wanted = spec.node_recovery != "none"
    found: list[Drift] = []
    if recovers is not None and recovers is not wanted:
        name = spec.names.hyperpod_cluster
        found.append(drift(name, CLUSTER, STAGE, RECOVERY, expected=_recovery(wanted), actual=_recovery(recovers)))
    for desired in spec.instance_groups:
        group = standing.pop(desired.name, None)
        if group is None:
            found.append(drift(desired.name, GROUP, STAGE, expected="present", actual=ABSENT))
        else:
            found += _of_group(desired, group)
    return [*found, *(drift(name, GROUP, None, expected=ABSENT, actual="somebody added it") for name in standing)]


def _recovery(on: bool) -> str:
    return "automatic" if on else "none"


def _of_group(desired: DesiredGroup, group: Group) -> list[Drift]:
    """Compare a group. No update changes its types or its capacity, so these are nobody's to repair."""
    wanted_taints = sorted((each.key, each.value or "", each.effect) for each in desired.taints)
    compared = (
        (COUNT, str(desired.instance_count), str(group.target), STAGE),
        ("labels", _listed(desired.labels), _listed(group.labels), STAGE),
        ("taints", str(wanted_taints), str(sorted((t.key, t.value or "", t.effect) for t in group.taints)), STAGE),
        ("instance types", ", ".join(desired.types), ", ".join(group.types), None),
        ("capacity", desired.capacity_type, group.capacity_type, None),
    )
    return [
        drift(group.name, GROUP, stage, name, expected=expected, actual=actual)
        for name, expected, actual, stage in compared
        if expected != actual
    ]


def _listed(labels: Mapping[str, str]) -> str:
    return ", ".join(f"{key}={value}" for key, value in sorted(labels.items())) or "none"


def terminates(found: Drift) -> int:
    """Count the instances that the repair of a drift takes away; what runs on them is lost."""
    if found.kind != GROUP or found.property != COUNT or found.repaired_by is None:
        return 0
    return max(0, int(found.actual or 0) - int(found.expected or 0))


def accepted_name(found: Drift) -> str:
    """Name a repair that takes instances away, as an operation keeps what was agreed to."""
    return f"{GROUP} {found.resource} {found.expected}"


def mended(found: Iterable[Drift]) -> tuple[list[str], bool]:
    """Give the groups that an update has to send, and whether it has to set node recovery."""
    ours = [each for each in found if each.repaired_by == STAGE]
    names = [each.resource for each in ours if each.kind == GROUP]
    return [*dict.fromkeys(names)], any(each.property == RECOVERY for each in ours)
