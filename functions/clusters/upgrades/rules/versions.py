"""Kubernetes versions: which may follow which, and how far a kubelet may be behind."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from functions.catalog import rules as catalog

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

# Source: Kubernetes documentation, "Version Skew Policy", kubelet; for kubelets from 1.25 on; EKS's user guide repeats
# it under "Update existing cluster to new Kubernetes version".
LARGEST_SKEW: Final = 3
_VERSION: Final = re.compile(r"v?1\.(\d+)")


def minor_of(version: str) -> int:
    """Give the minor number of a version, be it a cluster's (`1.34`) or a kubelet's (`v1.34.2-eks-e3a6`); 0 of none."""
    found = _VERSION.match(version)
    return int(found[1]) if found else 0


def next_of(version: str) -> str:
    """Give the version that follows."""
    return f"1.{minor_of(version) + 1}"


def usable(version: str, offered: Collection[str] | None) -> bool:
    """Say whether EKS offers a version, as far as it told, and HyperPod supports it."""
    return (offered is None or version in offered) and version in catalog.HYPERPOD_KUBERNETES_VERSIONS


def target_of(asked: str | None, present: str, offered: Collection[str] | None) -> str:
    """Choose the version to upgrade to: the one asked for, else the next where it is usable, else the present one."""
    following = next_of(present)
    return asked or (following if usable(following, offered) else present)


def choices(present: str, offered: Collection[str] | None) -> list[str]:
    """List the versions that a cluster can be upgraded to from where it is, its own among them."""
    return [version for version in (present, next_of(present)) if version == present or usable(version, offered)]


def too_old(kubelets: Mapping[str, str], target: str) -> list[str]:
    """Name the nodes, by kubelet version, that a control plane of the target would leave too far behind, in order."""
    oldest = minor_of(target) - LARGEST_SKEW
    return sorted(node for node, version in kubelets.items() if 0 < minor_of(version) < oldest)
