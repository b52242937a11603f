"""EKS add-ons: offered versions, creation with prerequisites, health that follows the cluster's nodes, deletion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

from infra.local.simulators.eks_catalog import ADDONS, VERSIONS, OfferedAddon
from infra.local.simulators.eks_records import (
    ADDON_CREATION,
    ADDON_DELETION,
    AddonRecord,
    ClusterRecord,
    EksState,
    invalid,
)
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
        self._refuse(cluster, ADDONS[params["addonName"]], params)
        name = params["addonName"]
        addon = AddonRecord(
            name=name,
            version=version,
            arn=self._state.arn(f"addon/{cluster.name}/{name}/{_uuid(self._state.mint())}"),
            created_at=self._state.now(),
            needs_node=ADDONS[name].needs_node,
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
        """DeleteAddon; the pod identity associations it owns go with it."""
        if params.get("preserve"):
            raise unverified("input member preserve")
        cluster = self._state.active_cluster(params["clusterName"])
        addon = self._addon(cluster, params["addonName"])
        addon.deleted_at = addon.deleted_at or self._state.now()
        return {"addon": self.described(cluster, addon)}

    def describe_versions(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """DescribeAddonVersions."""
        refuse_unverified(params, {"kubernetesVersion", "maxResults", "nextToken", "addonName", "owners"})
        asked = params.get("kubernetesVersion")
        clusters = [asked] if asked else list(VERSIONS)
        offered = [
            addon.described(clusters)
            for name, addon in sorted(ADDONS.items())
            if name == params.get("addonName", name) and addon.owner in params.get("owners", [addon.owner])
        ]
        chosen, token = page(
            [info for info in offered if info["addonVersions"]],
            token=params.get("nextToken"),
            size=params.get("maxResults"),
            invalid="InvalidParameterException",
        )
        return {"addons": chosen, "nextToken": token}

    def settle(self) -> None:
        """Tell the host of add-ons whose objects are in the cluster now; drop what is deleted."""
        now = self._state.now()
        for cluster in self._state.records.clusters.values():
            for addon in list(cluster.addons.values()):
                if addon.deleted_at and now >= addon.deleted_at + ADDON_DELETION:
                    del cluster.addons[addon.name]
                    for association_id in addon.association_ids:
                        cluster.associations.pop(association_id, None)
                elif not addon.announced and not addon.deleted_at and now >= addon.created_at + ADDON_CREATION:
                    addon.announced = True
                    self._state.host.on_addon_active(cluster.name, addon.name)

    def described(self, cluster: ClusterRecord, addon: AddonRecord) -> JsonObject:
        """The Addon structure."""
        status = addon.status(self._state.now(), self._state.host.ready_nodes(cluster.name))
        return {
            "addonName": addon.name,
            "clusterName": cluster.name,
            "status": status,
            "addonVersion": addon.version,
            "health": {"issues": [_no_replicas()] if status == "DEGRADED" else []},
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

    def _refuse(self, cluster: ClusterRecord, offered: OfferedAddon, params: JsonObject) -> None:
        if offered.name in cluster.addons:
            named = {"clusterName": cluster.name, "addonName": offered.name}
            raise ServiceError("ResourceInUseException", "Addon already exists.", 409, **named)
        missing = [name for name in offered.requires if name not in cluster.addons]
        if missing:
            raise unverified(f"how {offered.name} fails where {', '.join(missing)} is not installed on this cluster")
        _refuse_configuration(params.get("configurationValues"))


def _refuse_configuration(text: str | None) -> None:
    """Configuration is a JSON or YAML object in a string (EKS API reference, CreateAddon)."""
    if text is None:
        return
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise invalid("ConfigurationValue is not in valid JSON/YAML format") from error
    if not isinstance(document, dict):
        raise invalid("ConfigurationValue is not a JSON/YAML object")


def _no_replicas() -> JsonObject:
    return {
        "code": "InsufficientNumberOfReplicas",
        "message": "The add-on is unhealthy because it doesn't have the desired number of replicas.",
        "resourceIds": [],
    }


def _uuid(seed: str) -> str:
    digits = identifier(seed, 32)
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
