"""Updates of an EKS cluster's Kubernetes version: in one minor step, over time, with the readiness that EKS asks for.

Texts of refused versions are as users quote them in public issue threads (terraform-aws-eks#2607, rancher#43316).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from infra.local.simulators.eks_catalog import VERSIONS
from infra.local.simulators.eks_records import ClusterRecord, ClusterUpdate, EksState, invalid
from infra.local.simulators.paging import identifier, page
from infra.local.simulators.service import ServiceError, refuse_unverified, unverified

if TYPE_CHECKING:
    from infra.local.simulators.eks_insights import Insights
    from infra.local.simulators.service import JsonObject, ServiceRequest


class Updates:
    """The update operations of EKS, for clusters; what an add-on's update became, DescribeAddon tells."""

    def __init__(self, state: EksState, insights: Insights) -> None:
        self._state = state
        self._insights = insights

    def update_version(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """UpdateClusterVersion; a repeated client token gives the update it began before."""
        refuse_unverified(params, {"name", "version", "clientRequestToken", "force"})
        cluster, token = self._state.cluster(params["name"]), params.get("clientRequestToken")
        for earlier in cluster.updates:
            if token and earlier.token == token:
                return {"update": _described(earlier)}
        self._refuse(cluster, params)
        update = ClusterUpdate(
            update_id=_uuid(self._state.mint()),
            version=params["version"],
            begun_at=self._state.now(),
            token=token,
            fault=self._state.records.update_faults.pop(cluster.name, None),
        )
        cluster.updates.append(update)
        return {"update": _described(update)}

    def describe(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """DescribeUpdate."""
        refuse_unverified(params, {"name", "updateId"})
        cluster = self._state.cluster(params["name"])
        for update in cluster.updates:
            if update.update_id == params["updateId"]:
                return {"update": _described(update)}
        message = f"No update found for ID: {params['updateId']}"
        raise ServiceError("ResourceNotFoundException", message, 404, clusterName=cluster.name)

    def list_all(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """ListUpdates; the order is none that a client may rely on."""
        refuse_unverified(params, {"name", "nextToken", "maxResults"})
        names = sorted(update.update_id for update in self._state.cluster(params["name"]).updates)
        chosen, token = page(
            names, token=params.get("nextToken"), size=params.get("maxResults"), invalid="InvalidParameterException"
        )
        return {"updateIds": chosen, "nextToken": token}

    def settle(self) -> None:
        """End updates that are through; one that failed leaves the version as it was."""
        now = self._state.now()
        for cluster in self._state.records.clusters.values():
            update = cluster.running_update
            if update is None or now < update.due or cluster.deleted_at:
                continue
            update.status = "Failed" if update.fault else "Successful"
            if not update.fault:
                cluster.version = update.version
                self._state.host.on_version_changed(cluster.name)

    def fail_next(self, cluster: str, code: str, message: str) -> None:
        """Let the next version update of a cluster end as Failed, with this error."""
        self._state.records.update_faults[cluster] = {"errorCode": code, "errorMessage": message, "resourceIds": []}

    def _refuse(self, cluster: ClusterRecord, params: JsonObject) -> None:
        wanted, status = params["version"], cluster.status(self._state.now())
        if status != "ACTIVE":
            message = f"Cannot update cluster {cluster.name}: it is currently in status {status}"
            raise ServiceError("ResourceInUseException", message, 409, clusterName=cluster.name)
        if wanted not in VERSIONS:
            raise invalid("unsupported Kubernetes version", clusterName=cluster.name)
        if wanted == cluster.version:
            raise invalid(f"Cluster is already at the desired configuration with version: {wanted}",
                          clusterName=cluster.name)  # fmt: skip
        if _minor(wanted) != _minor(cluster.version) + 1:
            message = f"Unsupported Kubernetes minor version update from {cluster.version} to {wanted}"
            raise invalid(message, clusterName=cluster.name)
        blocking = [each.name for each in self._insights.blocking(cluster)]
        if blocking and not params.get("force"):
            # That errors block is documented, the words are not.
            message = f"Cluster has upgrade insights in status ERROR: {', '.join(blocking)}"
            raise ServiceError("InvalidStateException", message, 400, clusterName=cluster.name)
        if params.get("force"):
            raise unverified("UpdateClusterVersion with force")


def _minor(version: str) -> int:
    return int(version.partition(".")[2])


def _described(update: ClusterUpdate) -> JsonObject:
    return {
        "id": update.update_id,
        "status": update.status,
        "type": "VersionUpdate",
        "params": [{"type": "Version", "value": update.version}, {"type": "PlatformVersion", "value": "eks.1"}],
        "createdAt": update.begun_at,
        "errors": [update.fault] if update.fault and update.status == "Failed" else [],
    }


def _uuid(seed: str) -> str:
    digits = identifier(seed, 32)
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
