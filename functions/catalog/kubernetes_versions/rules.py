"""Which Kubernetes versions a cluster may have: those that EKS offers and HyperPod supports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.catalog.kubernetes_versions.models import KubernetesVersionView, OfferedVersion
from functions.catalog.prices.rules import control_plane_price
from functions.catalog.rules import HYPERPOD_KUBERNETES_VERSIONS, newest_kubernetes_version

if TYPE_CHECKING:
    from collections.abc import Sequence

    from functions.catalog.prices.models import Support

# Source: service model of EKS, enumeration VersionStatus.
_SUPPORT: Final[dict[str, Support]] = {"STANDARD_SUPPORT": "standard", "EXTENDED_SUPPORT": "extended"}


def versions(offered: Sequence[OfferedVersion] | None) -> list[KubernetesVersionView]:
    """Describe the versions that EKS offers and HyperPod supports, or HyperPod's alone where EKS did not say."""
    if offered is None:
        known = [OfferedVersion(name, "", None, None) for name in HYPERPOD_KUBERNETES_VERSIONS]
        return _newest_first(known, None)
    usable = [each for each in offered if each.name in HYPERPOD_KUBERNETES_VERSIONS and each.status in _SUPPORT]
    return _newest_first(usable, newest_kubernetes_version(each.name for each in usable))


def _newest_first(found: Sequence[OfferedVersion], default: str | None) -> list[KubernetesVersionView]:
    ordered = sorted(found, key=lambda each: tuple(map(int, each.name.split("."))), reverse=True)
    return [_view(each, default) for each in ordered]


def _view(each: OfferedVersion, default: str | None) -> KubernetesVersionView:
    support = _SUPPORT.get(each.status)
    return KubernetesVersionView(
        version=each.name,
        default=each.name == default,
        support=support,
        standard_support_ends_at=each.standard_support_ends_at,
        extended_support_ends_at=each.extended_support_ends_at,
        control_plane_price=control_plane_price(support) if support else None,
    )
