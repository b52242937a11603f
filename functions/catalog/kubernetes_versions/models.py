"""What callers get about Kubernetes versions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pydantic import Field

from functions.catalog.answers.models import CatalogAnswer, Record
from functions.catalog.prices.models import Support
from functions.core.previews import Cost


@dataclass(frozen=True)
class OfferedVersion:
    """A version as EKS offers it; `status` is EKS's word."""

    name: str
    status: str
    standard_support_ends_at: datetime | None
    extended_support_ends_at: datetime | None


class KubernetesVersionView(Record):
    """A version that HyperPod supports, and EKS offers unless `source` is `shipped`: then that is not known."""

    version: str
    default: bool = Field(description="Whether a cluster gets it when none is asked for.")
    support: Support | None
    standard_support_ends_at: datetime | None
    extended_support_ends_at: datetime | None
    control_plane_price: Cost | None


class KubernetesVersionList(CatalogAnswer):
    """The versions that a new cluster may have, the newest first."""

    kubernetes_versions: list[KubernetesVersionView]
