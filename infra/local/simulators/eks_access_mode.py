"""UpdateClusterConfig as far as the authentication mode goes: one way only, and it takes its time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from infra.local.simulators.eks_records import AccessUpdate, EksState, invalid
from infra.local.simulators.paging import identifier
from infra.local.simulators.service import ServiceError, refuse_unverified

if TYPE_CHECKING:
    from datetime import datetime

    from infra.local.simulators.eks_records import ClusterRecord
    from infra.local.simulators.service import JsonObject, ServiceRequest

MEMBERS: Final = frozenset({"name", "accessConfig", "clientRequestToken"})
# Source: Amazon EKS user guide, "Change authentication mode to use access entries".
_ONWARDS: Final = {("CONFIG_MAP", "API_AND_CONFIG_MAP"), ("API_AND_CONFIG_MAP", "API")}


class AccessModes:
    """The operation of EKS that changes how principals get into a cluster."""

    def __init__(self, state: EksState) -> None:
        self._state = state

    def update(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """UpdateClusterConfig with an accessConfig; a repeated client token gives the update that it began."""
        refuse_unverified(params, MEMBERS)
        if "accessConfig" not in params:
            refuse_unverified({"no accessConfig": True}, ())
        cluster = self._state.cluster(params["name"])
        token, begun = params.get("clientRequestToken"), cluster.access_update
        if begun is not None and token is not None and begun.token == token:
            return {"update": _described(begun, self._state.now())}
        if begun is not None:
            message = f"Cluster {cluster.name} is currently being updated."
            raise ServiceError("ResourceInUseException", message, 409, clusterName=cluster.name)
        self._state.active_cluster(cluster.name)
        now, wanted = cluster.authentication_mode, params["accessConfig"]["authenticationMode"]
        if (now, wanted) not in _ONWARDS:
            raise invalid(f"Unsupported authentication mode update from {now} to {wanted}", clusterName=cluster.name)
        update = AccessUpdate(identifier(f"{self._state.mint()}:update", 36), wanted, self._state.now(), token)
        cluster.access_update = update
        return {"update": _described(update, self._state.now())}

    def settle(self) -> None:
        """Let what is through be so."""
        for cluster in self._state.records.clusters.values():
            if cluster.access_update and cluster.access_update.due() <= self._state.now():
                _complete(cluster)


def _complete(cluster: ClusterRecord) -> None:
    if cluster.access_update:
        access = {**cluster.described["accessConfig"], "authenticationMode": cluster.access_update.mode}
        cluster.described["accessConfig"] = access
        cluster.access_update = None


def _described(update: AccessUpdate, now: datetime) -> JsonObject:
    return {
        "id": update.update_id,
        "status": "InProgress" if now < update.due() else "Successful",
        "type": "AccessConfigUpdate",
        "params": [{"type": "AuthenticationMode", "value": update.mode}],
        "createdAt": update.begun_at,
        "errors": [],
    }
