"""Decisions about a foundation stack: which differences count, and which change sets may be executed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from functions.core.drifts import ABSENT, Drift, drift

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

STAGE: Final = "foundation_repair"
CLUSTER: Final = "AWS::EKS::Cluster"
ADDON: Final = "AWS::EKS::Addon"
ENDPOINT: Final = "AWS::EC2::VPCEndpoint"
# The parameters of the template that an upgrade leaves behind, and the logical ids whose version each sets.
VERSIONS: Final = {
    "KubernetesVersion": "EksCluster",
    "VpcCniVersion": "VpcCniAddon",
    "KubeProxyVersion": "KubeProxyAddon",
}
_PLAIN_CHANGES: Final = frozenset({"Add", "Modify", "SyncWithActual"})


@dataclass(frozen=True)
class Difference:
    """A property that CloudFormation found to differ; `way` is ADD, REMOVE or NOT_EQUAL."""

    path: str
    expected: str
    actual: str
    way: str


@dataclass(frozen=True)
class ResourceDrift:
    """What CloudFormation found of a resource of a stack, in its own words."""

    logical_id: str
    physical_id: str
    type: str
    status: str
    differences: tuple[Difference, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class StackChange:
    """What a change set would do to a resource; `replacement` is True, False, Conditional or empty."""

    logical_id: str
    type: str
    action: str
    replacement: str
    drift_status: str
    properties: frozenset[str] = frozenset()


def drifts_of(found: Iterable[ResourceDrift]) -> list[Drift]:
    """List what differs from the template and is not of our own later making."""
    drifts: list[Drift] = []
    for each in found:
        name = f"{each.logical_id} ({each.physical_id})" if each.physical_id else each.logical_id
        if each.status == "DELETED":
            drifts.append(drift(name, each.type, STAGE, expected="present", actual=ABSENT))
        drifts += [
            drift(name, each.type, STAGE, other.path, expected=other.expected, actual=other.actual)
            for other in each.differences
            if not own_doing(each.type, other)
        ]
    return drifts


def own_doing(kind: str, difference: Difference) -> bool:
    """Say whether a difference comes from stages that came after the stack, or from an upgrade.

    Compute subnets join the stack's endpoint with route tables of their own. A version that moved on is never taken
    back: EKS knows no way back.
    """
    if kind == ENDPOINT and difference.path.startswith("/RouteTableIds"):
        return difference.way == "ADD"
    if (kind, difference.path) in ((CLUSTER, "/Version"), (ADDON, "/AddonVersion")):
        return newer(difference.actual, difference.expected)
    return False


def newer(version: str, other: str) -> bool:
    """Say whether a version comes after another one."""
    return _numbers(version) > _numbers(other)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))


def parameters_after(previous: Mapping[str, str], standing: Mapping[str, str]) -> dict[str, str | None]:
    """Give the parameters of a change set: None for the previous value, a version where one has moved on since."""
    return {
        name: standing[name] if name in standing and newer(standing[name], value) else None
        for name, value in previous.items()
    }


def worth_executing(changes: Iterable[StackChange]) -> bool:
    """Say whether a change set does more than take our own route tables from the stack's endpoint."""
    return any(not _only_route_tables(change) for change in changes)


def _only_route_tables(change: StackChange) -> bool:
    return change.type == ENDPOINT and change.action == "Modify" and change.properties == {"RouteTableIds"}


def replaced(changes: Iterable[StackChange], accepted: Sequence[str]) -> list[str]:
    """Name the resources that a change set would make anew, or remove, though they stand and nobody agreed.

    What was deleted can only be made anew; but a new EKS cluster is none that anything comes back to.
    """
    return [change.logical_id for change in changes if _replaces(change) and change.logical_id not in accepted]


def _replaces(change: StackChange) -> bool:
    if change.action not in _PLAIN_CHANGES:
        return True
    if change.drift_status == "DELETED":
        return change.type == CLUSTER
    return change.replacement in ("True", "Conditional")
