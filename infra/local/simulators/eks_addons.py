"""EKS add-ons: creation with prerequisites and conflicts, update, health that follows their objects, deletion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infra.local.simulators.eks_addon_offers import refuse_configuration
from infra.local.simulators.eks_catalog import ADDONS, OfferedAddon
from infra.local.simulators.eks_records import AddonRecord, AddonUpdate, ClusterRecord, EksState, invalid
from infra.local.simulators.paging import identifier, page
from infra.local.simulators.service import ServiceError, refuse_unverified, unverified

if TYPE_CHECKING:
    from infra.local.simulators.eks_identities import PodIdentities
    from infra.local.simulators.service import JsonObject, ServiceRequest

CREATE_MEMBERS = frozenset(
    {
        "clusterName",
        "addonName",
        "addonVersion",
        "serviceAccountRoleArn",
        "resolveConflicts",
        "clientRequestToken",
        "tags",
        "configurationValues",
        "podIdentityAssociations",
    }
)
UPDATE_MEMBERS = frozenset(
    {"clusterName", "addonName", "addonVersion", "resolveConflicts", "clientRequestToken", "configurationValues"}
)


class Addons:
    """The add-on operations of EKS."""

    def __init__(self, state: EksState, identities: PodIdentities) -> None:
        self._state = state
        self._identities = identities

    def create(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """CreateAddon."""
        refuse_unverified(params, CREATE_MEMBERS)
        cluster = self._state.active_cluster(params["clusterName"])
        version = self._version(cluster, params["addonName"], params.get("addonVersion"))
        self._refuse(cluster, ADDONS[params["addonName"]], version, params)
        name = params["addonName"]
        addon = AddonRecord(
            name=name,
            version=version,
            arn=self._state.arn(f"addon/{cluster.name}/{name}/{_uuid(self._state.mint())}"),
            created_at=self._state.now(),
            overwrites=params.get("resolveConflicts") == "OVERWRITE",
            service_account_role_arn=params.get("serviceAccountRoleArn"),
            configuration_values=params.get("configurationValues"),
            tags=params.get("tags", {}),
        )
        for asked in params.get("podIdentityAssociations", []):
            made = self._identities.associate(cluster, {**asked, "namespace": ADDONS[name].namespace}, owner=addon.arn)
            addon.association_ids.append(made.association_id)
        cluster.addons[name] = addon
        return {"addon": self.described(cluster, addon)}

    def describe(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """DescribeAddon."""
        cluster = self._state.cluster(params["clusterName"])
        return {"addon": self.described(cluster, self._addon(cluster, params["addonName"]))}

    def list_all(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """ListAddons."""
        names, token = page(
            sorted(self._state.cluster(params["clusterName"]).addons),
            token=params.get("nextToken"),
            size=params.get("maxResults"),
            invalid="InvalidParameterException",
        )
        return {"addons": names, "nextToken": token}

    def delete(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """DeleteAddon; the pod identity associations it owns go with it, and its objects unless they are preserved."""
        cluster = self._state.active_cluster(params["clusterName"])
        addon = self._addon(cluster, params["addonName"])
        addon.deleted_at = addon.deleted_at or self._state.now()
        addon.preserved = addon.preserved or params.get("preserve", False)
        return {"addon": self.described(cluster, addon)}

    def update(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """UpdateAddon; what is left out stays as it is, and a repeated client token gives the update under way."""
        refuse_unverified(params, UPDATE_MEMBERS)
        cluster = self._state.active_cluster(params["clusterName"])
        addon = self._addon(cluster, params["addonName"])
        token = params.get("clientRequestToken")
        if token and addon.update and addon.update.token == token:
            return {"update": _described_update(addon.update, params)}
        status = self._status(cluster, addon)[0]
        if status in ("CREATING", "UPDATING", "DELETING", "CREATE_FAILED"):
            message = f"Addon {addon.name} cannot be updated as it is currently in {status} state"
            raise ServiceError("InvalidRequestException", message, clusterName=cluster.name, addonName=addon.name)
        version = self._version(cluster, addon.name, params.get("addonVersion", addon.version))
        values = params.get("configurationValues", addon.configuration_values)
        refuse_configuration(addon.name, values)
        addon.update = AddonUpdate(version, values, self._state.now(), _uuid(self._state.mint()), token)
        addon.failed, addon.issues = None, []
        return {"update": _described_update(addon.update, params)}

    def settle(self) -> None:
        """Bring add-ons up to the clock, and their objects in the clusters with them."""
        now = self._state.now()
        for cluster in self._state.records.clusters.values():
            for addon in list(cluster.addons.values()):
                if now >= addon.due():
                    self._end(cluster, addon)

    def _end(self, cluster: ClusterRecord, addon: AddonRecord) -> None:
        """End what was under way; nothing is once an add-on stands."""
        objects = self._state.host.addons
        if addon.deleted_at:
            if addon.in_cluster and not addon.preserved:
                objects.remove(cluster.name, addon.name)
            del cluster.addons[addon.name]
            for association_id in addon.association_ids:
                cluster.unbind(association_id, self._state.now())
        elif addon.update:
            addon.version, addon.configuration_values = addon.update.version, addon.update.configuration_values
            addon.update = None
            objects.install(cluster.name, addon.name)
        elif not addon.announced:
            addon.announced = True
            conflicts = [] if addon.overwrites else objects.conflicts(cluster.name, addon.name)
            if conflicts:
                addon.failed, addon.issues = "CREATE_FAILED", [_conflict(conflicts)]
            else:
                objects.install(cluster.name, addon.name)

    def _status(self, cluster: ClusterRecord, addon: AddonRecord) -> tuple[str, list[JsonObject]]:
        at_work = addon.deleted_at or not addon.announced or addon.update or addon.failed
        issues = addon.issues or ([] if at_work else self._state.host.addons.health(cluster.name, addon.name))
        return addon.status(healthy=not issues), issues

    def described(self, cluster: ClusterRecord, addon: AddonRecord) -> JsonObject:
        """The Addon structure."""
        status, issues = self._status(cluster, addon)
        return {
            "addonName": addon.name,
            "clusterName": cluster.name,
            "status": status,
            "addonVersion": addon.version,
            "health": {"issues": issues},
            "addonArn": addon.arn,
            "createdAt": addon.created_at,
            "modifiedAt": addon.deleted_at or addon.created_at,
            "serviceAccountRoleArn": addon.service_account_role_arn,
            "tags": addon.tags,
            "owner": ADDONS[addon.name].owner,
            "publisher": "eks" if ADDONS[addon.name].owner == "aws" else ADDONS[addon.name].owner,
            "configurationValues": addon.configuration_values,
            "podIdentityAssociations": [
                cluster.associations[each].arn for each in addon.association_ids if each in cluster.associations
            ],
            "namespaceConfig": {"namespace": ADDONS[addon.name].namespace},
        }

    def _addon(self, cluster: ClusterRecord, name: str) -> AddonRecord:
        if name not in cluster.addons:
            message = f"No addon: {name} found in cluster: {cluster.name}"
            raise ServiceError("ResourceNotFoundException", message, 404, clusterName=cluster.name, addonName=name)
        return cluster.addons[name]

    def _version(self, cluster: ClusterRecord, name: str, asked: str | None) -> str:
        offered = ADDONS[name].versions(cluster.version) if name in ADDONS else []
        if not offered:
            message = f"Addon {name} specified is not supported in {cluster.version} kubernetes version"
            raise invalid(message, clusterName=cluster.name, addonName=name)
        if asked and asked not in offered:
            message = f"Addon version specified is not supported for {cluster.version} kubernetes version"
            raise invalid(message, clusterName=cluster.name, addonName=name)
        return asked or offered[0]

    def _refuse(self, cluster: ClusterRecord, offered: OfferedAddon, version: str, params: JsonObject) -> None:
        if offered.name in cluster.addons:
            named = {"clusterName": cluster.name, "addonName": offered.name}
            raise ServiceError("ResourceInUseException", "Addon already exists.", 409, **named)
        missing = [name for name in offered.requires if name not in cluster.addons]
        if missing:
            raise unverified(f"how {offered.name} fails where {', '.join(missing)} is not installed on this cluster")
        if params.get("resolveConflicts") == "PRESERVE":
            raise invalid(
                "PRESERVE is not a supported value of resolveConflicts in CreateAddon", addonName=offered.name
            )
        if params.get("podIdentityAssociations") and version in offered.without_pod_identity:
            raise invalid(f"Pod Identity feature is not supported for addon version: {version}", addonName=offered.name)
        refuse_configuration(offered.name, params.get("configurationValues"))


def _conflict(fields: list[str]) -> JsonObject:
    said = "Conflicts found when trying to apply. Will not continue due to resolve conflicts mode. Conflicts:"
    return {"code": "ConfigurationConflict", "message": "\n".join([said, *fields]), "resourceIds": []}


def _described_update(update: AddonUpdate, params: JsonObject) -> JsonObject:
    names = {"addonVersion": "AddonVersion", "resolveConflicts": "ResolveConflicts",
             "configurationValues": "ConfigurationValues"}  # fmt: skip
    return {
        "id": update.update_id,
        "status": "InProgress",
        "type": "AddonUpdate",
        "params": [{"type": name, "value": params[key]} for key, name in names.items() if key in params],
        "createdAt": update.begun_at,
        "errors": [],
    }


def no_replicas() -> JsonObject:
    """The issue of an add-on that has no node to run on."""
    return {
        "code": "InsufficientNumberOfReplicas",
        "message": "The add-on is unhealthy because it doesn't have the desired number of replicas.",
        "resourceIds": [],
    }


def _uuid(seed: str) -> str:
    digits = identifier(seed, 32)
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
