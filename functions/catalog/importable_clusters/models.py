"""What callers get about EKS clusters that could be imported."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from functions.catalog.answers.models import CatalogAnswer, Record


class ImportableCluster(Record):
    """An EKS cluster that the ledger does not know; null is what AWS did not say of it. `status` is EKS's word."""

    name: str
    arn: str | None = None
    kubernetes_version: str | None = None
    status: str | None = None
    authentication_mode: str | None = Field(default=None, description="EKS's word; HyperPod refuses CONFIG_MAP.")
    public_endpoint: bool | None = None
    vpc_id: str | None = None
    created_at: datetime | None = None
    has_hyperpod_cluster: bool | None = None
    hyperpod_cluster: str | None = None


class ImportableClusterPage(CatalogAnswer):
    """One page of EKS clusters; it can be short of its limit, for those that are known are left out of it.

    Null when EKS did not list its clusters.
    """

    importable_clusters: list[ImportableCluster] | None
    next_token: str | None = None
