"""Whether the Kubernetes version that a request names is one that EKS offers and HyperPod supports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.catalog.rules import HYPERPOD_KUBERNETES_VERSIONS, shared_kubernetes_versions
from functions.core.errors import InvalidRequest
from functions.core.findings import Finding, Level

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KUBERNETES_VERSION: Final = "kubernetes_version"
_FIELD: Final = "foundation.kubernetes_version"


def check(wanted: str | None, offered: Sequence[str] | None) -> Iterator[Finding]:
    """Refuse a version that one of the two does not have; what EKS offers is None when it gave no answer."""
    if wanted is None:
        return
    shared = shared_kubernetes_versions(HYPERPOD_KUBERNETES_VERSIONS if offered is None else offered)
    if wanted in shared:
        return
    whose = "EKS offers no" if wanted in HYPERPOD_KUBERNETES_VERSIONS else "HyperPod does not support"
    remedy = f"Name one of {', '.join(shared)}, or leave the version out: then the newest of them is used."
    yield Finding(
        check=KUBERNETES_VERSION,
        level=Level.ERROR,
        code=InvalidRequest.code,
        field=_FIELD,
        message=f"{whose} Kubernetes {wanted}",
        allowed=shared,
        remedy=remedy if shared else "Deploy a newer release of the control plane: EKS offers none of its versions.",
    )
