"""The conditions of an imported cluster, computed from what was found; what could not be looked at is Unknown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from functions.clusters.importing.rules.findings import cni_fault
from functions.core.phases import CONDITIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from functions.clusters.importing.models.found import Component, Inside, Outside

REACHABLE: Final = "KubernetesReachable"
# What a cluster needs inside before a HyperPod cluster can be created on it and watched.
_NEEDED: Final = (
    ("helm_release", "dependencies"),
    ("addon", "coredns"),
    ("addon", "eks-pod-identity-agent"),
    ("cluster_role", "instantstart:operator"),
)
_HEALTHY: Final = (None, "ACTIVE", "deployed", "ready")
Truth = Literal["True", "False", "Unknown"]


@dataclass(frozen=True)
class Verdict:
    """What a condition is, and why."""

    status: Truth
    reason: str
    message: str


def conditions_of(outside: Outside, inside: Inside) -> dict[str, Verdict]:
    """Judge every condition."""
    return {
        CONDITIONS["foundation"]: _foundation(outside, inside),
        CONDITIONS["dependencies"]: _dependencies(outside, inside),
        CONDITIONS["hyperpod"]: _hyperpod(outside),
        CONDITIONS["storage"]: _storage(inside),
        REACHABLE: _reachable(inside),
    }


def needed_of(components: Sequence[Component]) -> tuple[list[str], list[str]]:
    """Name what is needed inside a cluster and missing or unwell, and what is not known."""
    missing: list[str] = []
    unknown: list[str] = []
    for kind, name in _NEEDED:
        found = next((each for each in components if (each.kind, each.name) == (kind, name)), None)
        if found is None or found.presence == "unknown":
            unknown.append(name)
        elif found.presence == "absent":
            missing.append(name)
        elif found.status not in _HEALTHY and not _waits_for_nodes(found):
            missing.append(f"{name} ({found.status})")
    return missing, unknown


def _waits_for_nodes(found: Component) -> bool:
    return found.message == "waits for its first node"


def _foundation(outside: Outside, inside: Inside) -> Verdict:
    eks, fault = outside.eks, cni_fault([*outside.components, *inside.components])
    if eks.status != "ACTIVE":
        return Verdict("False", "NotActive", f"the EKS cluster {eks.name} is {eks.status}")
    if eks.authentication_mode == "CONFIG_MAP":
        return Verdict("False", "UnsupportedAuthenticationMode", f"{eks.name} has the authentication mode CONFIG_MAP")
    if outside.network is None:
        return Verdict("Unknown", "NetworkUnknown", "the VPC could not be looked at")
    if fault is None:
        return Verdict("True", "Found", f"{eks.name}, Kubernetes {eks.version}, in {eks.vpc_id}")
    if inside.reach.reachable != "present" or "could not be read" in fault:
        return Verdict("Unknown", "CniUnknown", f"{fault}; HyperPod needs a recent one")
    return Verdict("False", "CniUnsuitable", f"{fault}; HyperPod needs a recent one")


def _dependencies(outside: Outside, inside: Inside) -> Verdict:
    missing, unknown = needed_of([*outside.components, *inside.components])
    if missing:
        return Verdict("False", "Missing", f"missing or unwell: {', '.join(missing)}")
    if unknown:
        return Verdict("Unknown", "NotLookedAt", f"not known: {', '.join(unknown)}")
    return Verdict("True", "Found", "everything that HyperPod needs is installed")


def _hyperpod(outside: Outside) -> Verdict:
    found = outside.hyperpod
    if found is None:
        reason = next((each.reason for each in outside.unknown if each.what == "hyperpod"), None)
        if reason is not None:
            return Verdict("Unknown", "NotLookedAt", f"HyperPod clusters could not be listed: {reason}")
        return Verdict("False", "Absent", f"no HyperPod cluster runs on {outside.eks.name}")
    if found.status != "InService":
        return Verdict("False", "NotInService", f"the HyperPod cluster {found.name} is {found.status}")
    short = [f"{group.name} {group.current}/{group.target}" for group in found.groups if group.current < group.target]
    if short:
        return Verdict("False", "Short", f"{found.name} lacks instances: {', '.join(short)}")
    return Verdict("True", "Found", f"the HyperPod cluster {found.name} with {len(found.groups)} instance groups")


def _storage(inside: Inside) -> Verdict:
    bound = [volume for volume in inside.volumes if volume.phase == "Bound"]
    if bound:
        return Verdict("True", "Found", f"bound volumes: {', '.join(volume.name for volume in bound[:5])}")
    reason = next((each.reason for each in inside.unknown if each.what == "volumes"), None)
    if inside.reach.reachable != "present":
        return Verdict("Unknown", "NotLookedAt", f"the cluster could not be looked into: {inside.reach.reason}")
    if reason is not None:
        return Verdict("Unknown", "NotLookedAt", f"volumes could not be listed: {reason}")
    return Verdict("False", "Absent", "no volume on S3 or FSx is bound")


def _reachable(inside: Inside) -> Verdict:
    truth: dict[str, Truth] = {"present": "True", "absent": "False", "unknown": "Unknown"}
    return Verdict(truth[inside.reach.reachable], inside.reach.reason, inside.reach.message)
