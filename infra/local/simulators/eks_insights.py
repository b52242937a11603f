"""Upgrade insights: what EKS finds out about a cluster's readiness for its next Kubernetes version.

Source: Amazon EKS user guide, "Prepare for Kubernetes version upgrades and troubleshoot misconfigurations with cluster
insights". What EKS computes by itself here is the kubelets' version skew; anything else a test puts in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from infra.local.simulators.eks_records import ClusterRecord, EksState, InsightRecord, invalid
from infra.local.simulators.paging import identifier, page
from infra.local.simulators.service import ServiceError, refuse_unverified

if TYPE_CHECKING:
    from collections.abc import Sequence

    from infra.local.simulators.service import JsonObject, ServiceRequest

SKEW: Final = "Kubelet version skew"
LARGEST_SKEW: Final = 3
"""Minors that a kubelet may be behind (Kubernetes, "Version Skew Policy")."""
READINESS: Final = "UPGRADE_READINESS"


class Insights:
    """The insight operations of EKS, and what tests decide about them."""

    def __init__(self, state: EksState) -> None:
        self._state = state

    def list_all(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """ListInsights."""
        wanted = params.get("filter", {})
        refuse_unverified(wanted, {"categories", "kubernetesVersions", "statuses"})
        cluster = self._state.cluster(params["clusterName"])
        found = [
            self._summary(each)
            for each in self._of(cluster)
            if READINESS in wanted.get("categories", [READINESS])
            and each.kubernetes_version in wanted.get("kubernetesVersions", [each.kubernetes_version])
            and each.status in wanted.get("statuses", [each.status])
        ]
        size, token = params.get("maxResults"), params.get("nextToken")
        chosen, following = page(found, token=token, size=size, invalid="InvalidParameterException")
        return {"insights": chosen, "nextToken": following}

    def describe(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """DescribeInsight."""
        cluster = self._state.cluster(params["clusterName"])
        for each in self._of(cluster):
            if each.insight_id == params["id"]:
                return {"insight": self._details(each)}
        raise ServiceError("ResourceNotFoundException", f"No insight found for ID: {params['id']}", 404)

    def blocking(self, cluster: ClusterRecord) -> list[InsightRecord]:
        """What keeps a cluster from its next version."""
        return [each for each in self._of(cluster) if each.status == "ERROR"]

    def put(
        self,
        cluster: str,
        name: str,
        status: str,
        reason: str,
        *,
        recommendation: str = "",
        deprecations: Sequence[JsonObject] = (),
    ) -> None:
        """Let EKS find something out about a cluster's next version; PASSING takes an earlier finding back."""
        if status not in ("PASSING", "WARNING", "ERROR", "UNKNOWN"):
            raise invalid(f"{status} is not a status of an insight")
        record = self._state.cluster(cluster)
        record.insights[name] = InsightRecord(
            insight_id=_uuid(f"{record.arn}:{name}"),
            name=name,
            kubernetes_version=_next(record.version),
            status=status,
            reason=reason,
            recommendation=recommendation,
            deprecations=list(deprecations),
        )

    def _of(self, cluster: ClusterRecord) -> list[InsightRecord]:
        """Insights are about the next version: those about one that was reached are no longer given."""
        following = _next(cluster.version)
        told = [each for each in cluster.insights.values() if each.kubernetes_version == following]
        return [*told, self._skew(cluster, following)]

    def _skew(self, cluster: ClusterRecord, following: str) -> InsightRecord:
        behind = sorted({v for v in self._state.host.node_versions(cluster.name)
                         if _minor(following) - _minor(v) > LARGEST_SKEW}, key=_minor)  # fmt: skip
        reason = "Node kubelet versions match the cluster control plane version."
        if behind:
            reason = f"Kubelet versions {', '.join(behind)} would be too far behind version {following}."
        return InsightRecord(
            insight_id=_uuid(f"{cluster.arn}:{SKEW}"),
            name=SKEW,
            kubernetes_version=following,
            status="ERROR" if behind else "PASSING",
            reason=reason,
            recommendation="Update the nodes before the control plane." if behind else "",
        )

    def _summary(self, insight: InsightRecord) -> JsonObject:
        return {
            "id": insight.insight_id,
            "name": insight.name,
            "category": READINESS,
            "kubernetesVersion": insight.kubernetes_version,
            "lastRefreshTime": self._state.now(),
            "lastTransitionTime": self._state.now(),
            "description": insight.reason,
            "insightStatus": {"status": insight.status, "reason": insight.reason},
        }

    def _details(self, insight: InsightRecord) -> JsonObject:
        return {
            **self._summary(insight),
            "recommendation": insight.recommendation,
            "additionalInfo": {},
            "resources": [],
            "categorySpecificSummary": {
                "deprecationDetails": insight.deprecations,
                "addonCompatibilityDetails": [],
            },
        }


def _next(version: str) -> str:
    return f"{version.partition('.')[0]}.{_minor(version) + 1}"


def _minor(version: str) -> int:
    return int(version.split(".")[1])


def _uuid(seed: str) -> str:
    digits = identifier(seed, 32)
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
