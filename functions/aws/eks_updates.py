"""Updates of an EKS cluster's version, and what EKS finds out about its readiness for one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from functions.clusters.upgrades.models import Insight
from functions.core import runtime

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from types_boto3_eks.type_defs import InsightTypeDef, UpdateTypeDef

_TOLD: Final = ("WARNING", "ERROR", "UNKNOWN")


@dataclass(frozen=True)
class VersionUpdate:
    """One update of a cluster's version; `errors` maps error codes to messages."""

    update_id: str
    status: str
    version: str
    created_at: datetime | None
    errors: Mapping[str, str]

    @property
    def running(self) -> bool:
        """Say whether it has not ended."""
        return self.status == "InProgress"


def begin(cluster: str, version: str, token: str) -> str:
    """Begin to move a cluster to a version and give the update's id; the same token begins nothing twice.

    Raises the client's own errors.
    """
    answer = runtime.client("eks").update_cluster_version(name=cluster, version=version, clientRequestToken=token)
    return answer["update"].get("id", "")


def describe(cluster: str, update_id: str) -> VersionUpdate:
    """Describe an update. Raises the client's own errors."""
    return _update(runtime.client("eks").describe_update(name=cluster, updateId=update_id)["update"])


def running(cluster: str) -> VersionUpdate | None:
    """Find the version update that is under way; None when none is. Raises the client's own errors."""
    return next((update for update in _updates(cluster) if update.running), None)


def _updates(cluster: str) -> Iterator[VersionUpdate]:
    client = runtime.client("eks")
    for page in client.get_paginator("list_updates").paginate(name=cluster):
        for update_id in page["updateIds"]:
            found = client.describe_update(name=cluster, updateId=update_id)["update"]
            if found.get("type") == "VersionUpdate":
                yield _update(found)


def _update(found: UpdateTypeDef) -> VersionUpdate:
    wanted = (each.get("value", "") for each in found.get("params", []) if each.get("type") == "Version")
    return VersionUpdate(
        update_id=found.get("id", ""),
        status=found.get("status", ""),
        version=next(wanted, ""),
        created_at=found.get("createdAt"),
        errors={str(each.get("errorCode", "")): each.get("errorMessage", "") for each in found.get("errors", [])},
    )


def insights(cluster: str) -> tuple[Insight, ...]:
    """Give what stands against a cluster's next version, errors and warnings alike. Raises the client's own errors."""
    client = runtime.client("eks")
    pages = client.get_paginator("list_insights").paginate(
        clusterName=cluster, filter={"categories": ["UPGRADE_READINESS"], "statuses": [*_TOLD]}
    )
    found = [each.get("id", "") for page in pages for each in page["insights"]]
    return tuple(_insight(client.describe_insight(clusterName=cluster, id=each)["insight"]) for each in found)


def _insight(found: InsightTypeDef) -> Insight:
    usages = found.get("categorySpecificSummary", {}).get("deprecationDetails", [])
    status = found.get("insightStatus", {})
    return Insight(
        name=found.get("name", ""),
        status=str(status.get("status", "")),
        reason=status.get("reason", ""),
        recommendation=found.get("recommendation", ""),
        deprecated=tuple(f"{each.get('usage')} (use {each.get('replacedWith')})" for each in usages),
    )
