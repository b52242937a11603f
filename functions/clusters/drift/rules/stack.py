"""Decisions about a foundation stack: which differences count, and which change sets may be executed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from functions.core.drifts import ABSENT, Drift, drift
from functions.core.tags import OPERATION_MARK, is_own

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

STAGE: Final = "foundation_repair"
CLUSTER: Final = "AWS::EKS::Cluster"
CLUSTER_ID: Final = "EksCluster"
ADDON: Final = "AWS::EKS::Addon"
ENDPOINT: Final = "AWS::EC2::VPCEndpoint"
# The parameters of the template that an upgrade leaves behind, and the logical ids whose version each sets.
VERSIONS: Final = {
    "KubernetesVersion": CLUSTER_ID,
    "VpcCniVersion": "VpcCniAddon",
    "KubeProxyVersion": "KubeProxyAddon",
}
_PLAIN_CHANGES: Final = frozenset({"Add", "Modify", "SyncWithActual"})


@dataclass(frozen=True)
class Difference:
    """A property that CloudFormation found to differ; `way` is ADD, REMOVE or NOT_EQUAL.

    One of a tag has the tag's key, and the value that it has, None where it is absent.
    """

    path: str
    expected: str
    actual: str
    way: str
    tag: str = ""
    tag_value: str | None = None


@dataclass(frozen=True)
class StackTags:
    """The tags that a stack has, which CloudFormation expects of its resources, and those that are wanted by now.

    `foreign` are those that others put on the stack: nobody here says what they are to be.
    """

    standing: Mapping[str, str] = field(default_factory=dict)
    wanted: Mapping[str, str] = field(default_factory=dict)
    foreign: frozenset[str] = frozenset()

    def knows(self, tag: str) -> bool:
        """Say whether a tag is the stack's, and not one of a resource's own."""
        return tag in self.standing or tag in self.wanted

    def explains(self, difference: Difference) -> bool:
        """Say whether a resource has a tag as it is wanted, though not as the stack has it, or as others please.

        Operations differ.
        """
        if not self.knows(difference.tag):
            return False
        if difference.tag == OPERATION_MARK or difference.tag in self.foreign:
            return True
        return self.wanted.get(difference.tag) == difference.tag_value


@dataclass(frozen=True)
class StackForm:
    """What a change set is to make of a stack; a parameter that is None keeps its value."""

    parameters: Mapping[str, str | None]
    tags: Mapping[str, str]


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


_NO_TAGS: Final = StackTags()


def drifts_of(found: Iterable[ResourceDrift], tags: StackTags = _NO_TAGS) -> list[Drift]:
    """List what differs from the template, or from the tags that are wanted, and is not of our own later making."""
    drifts: list[Drift] = []
    for each in found:
        name = f"{each.logical_id} ({each.physical_id})" if each.physical_id else each.logical_id
        if each.status == "DELETED":
            drifts.append(drift(name, each.type, STAGE, expected="present", actual=ABSENT))
        drifts += [
            _drift_of(name, each.type, other, tags)
            for other in each.differences
            if not own_doing(each.type, other)
            and not tags.explains(other)
            and not _is_compared_apart(each.type, other, tags)
        ]
    return drifts


def cluster_tag_drifts(eks_cluster: str, actual: Mapping[str, str], tags: StackTags) -> list[Drift]:
    """List the company tags that the EKS cluster has not as they are wanted.

    It gets them at once where they change; CloudFormation still expects those that the stack was made with.
    """
    name = f"{CLUSTER_ID} ({eks_cluster})"
    compared = {
        key: (tags.wanted.get(key, ABSENT), actual.get(key, ABSENT))
        for key in sorted({*tags.standing, *tags.wanted} - tags.foreign)
        if not is_own(key)
    }
    return [
        drift(name, CLUSTER, STAGE, f"tag {key}", expected=expected, actual=found)
        for key, (expected, found) in compared.items()
        if expected != found
    ]


def _is_compared_apart(kind: str, found: Difference, tags: StackTags) -> bool:
    """Say whether a difference is one of a company tag of the EKS cluster."""
    return kind == CLUSTER and tags.knows(found.tag) and not is_own(found.tag)


def _drift_of(name: str, kind: str, found: Difference, tags: StackTags) -> Drift:
    if not tags.knows(found.tag):
        return drift(name, kind, STAGE, found.path, expected=found.expected, actual=found.actual)
    expected = tags.wanted.get(found.tag, ABSENT)
    return drift(name, kind, STAGE, f"tag {found.tag}", expected=expected, actual=found.tag_value or ABSENT)


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
