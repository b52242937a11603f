"""EKS Pod Identity associations: which role a service account's pods get."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from infra.local.simulators.eks_records import AssociationRecord, ClusterRecord, EksState, invalid
from infra.local.simulators.paging import LETTERS_AND_DIGITS, identifier, page
from infra.local.simulators.service import ServiceError, refuse_unverified

if TYPE_CHECKING:
    from infra.local.simulators.service import JsonObject, ServiceRequest

ROLE_ARN = re.compile(r"arn:aws[a-z-]*:iam::\d{12}:role/[\w+=,.@/-]+")
CREATE_MEMBERS = frozenset(
    {"clusterName", "namespace", "serviceAccount", "roleArn", "clientRequestToken", "tags", "disableSessionTags"}
)


class PodIdentities:
    """The pod identity operations of EKS."""

    def __init__(self, state: EksState) -> None:
        self._state = state

    def create(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """CreatePodIdentityAssociation."""
        refuse_unverified(params, CREATE_MEMBERS)
        cluster = self._state.active_cluster(params["clusterName"])
        return {"association": _described(cluster, self.associate(cluster, params, owner=None))}

    def associate(self, cluster: ClusterRecord, asked: JsonObject, owner: str | None) -> AssociationRecord:
        """Bind one service account to a role; a service account has one association at most."""
        if not ROLE_ARN.fullmatch(asked["roleArn"]):
            raise invalid(f"Invalid role ARN: {asked['roleArn']}", clusterName=cluster.name)
        for existing in cluster.associations.values():
            if (existing.namespace, existing.service_account) == (asked["namespace"], asked["serviceAccount"]):
                message = f"Association already exists: {existing.association_id}"
                raise ServiceError("ResourceInUseException", message, 409, clusterName=cluster.name)
        association_id = f"a-{identifier(self._state.mint(), 17, LETTERS_AND_DIGITS)}"
        association = AssociationRecord(
            association_id=association_id,
            arn=self._state.arn(f"podidentityassociation/{cluster.name}/{association_id}"),
            namespace=asked["namespace"],
            service_account=asked["serviceAccount"],
            role_arn=asked["roleArn"],
            created_at=self._state.now(),
            owner_arn=owner,
            disable_session_tags=asked.get("disableSessionTags", False),
            tags=asked.get("tags", {}),
        )
        cluster.bind(association)
        return association

    def describe(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """DescribePodIdentityAssociation."""
        cluster = self._state.cluster(params["clusterName"])
        return {"association": _described(cluster, self._association(cluster, params["associationId"]))}

    def list_all(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """ListPodIdentityAssociations."""
        cluster = self._state.cluster(params["clusterName"])
        found = [
            _summary(cluster, association)
            for association in cluster.associations.values()
            if association.namespace == params.get("namespace", association.namespace)
            and association.service_account == params.get("serviceAccount", association.service_account)
        ]
        chosen, token = page(
            found, token=params.get("nextToken"), size=params.get("maxResults"), invalid="InvalidParameterException"
        )
        return {"associations": chosen, "nextToken": token}

    def update(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """UpdatePodIdentityAssociation; one that an add-on owns is changed through the add-on."""
        refuse_unverified(params, {"clusterName", "associationId", "roleArn", "clientRequestToken"})
        cluster = self._state.active_cluster(params["clusterName"])
        association = self._own(cluster, params["associationId"])
        role = params.get("roleArn") or association.role_arn
        if not ROLE_ARN.fullmatch(role):
            raise invalid(f"Invalid role ARN: {role}", clusterName=cluster.name)
        association.role_arn = role
        return {"association": _described(cluster, association)}

    def delete(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """DeletePodIdentityAssociation; one that an add-on owns goes with the add-on."""
        cluster = self._state.active_cluster(params["clusterName"])
        association = self._own(cluster, params["associationId"])
        cluster.unbind(association.association_id, self._state.now())
        return {"association": _described(cluster, association)}

    def _own(self, cluster: ClusterRecord, association_id: str) -> AssociationRecord:
        association = self._association(cluster, association_id)
        if association.owner_arn:
            message = f"Association {association.association_id} is owned by {association.owner_arn}"
            raise ServiceError("InvalidRequestException", message, clusterName=cluster.name)
        return association

    def _association(self, cluster: ClusterRecord, association_id: str) -> AssociationRecord:
        if association_id not in cluster.associations:
            message = f"No association found with id: {association_id}"
            raise ServiceError("ResourceNotFoundException", message, 404, clusterName=cluster.name)
        return cluster.associations[association_id]


def _summary(cluster: ClusterRecord, association: AssociationRecord) -> JsonObject:
    return {
        "clusterName": cluster.name,
        "namespace": association.namespace,
        "serviceAccount": association.service_account,
        "associationArn": association.arn,
        "associationId": association.association_id,
        "ownerArn": association.owner_arn,
    }


def _described(cluster: ClusterRecord, association: AssociationRecord) -> JsonObject:
    return {
        **_summary(cluster, association),
        "roleArn": association.role_arn,
        "tags": association.tags,
        "createdAt": association.created_at,
        "modifiedAt": association.created_at,
        "disableSessionTags": association.disable_session_tags,
    }
