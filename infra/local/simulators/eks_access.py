"""EKS access entries and the access policies associated with them (EKS User Guide, "Grant IAM users access")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infra.local.simulators import neighbours
from infra.local.simulators.eks_records import AccessEntryRecord, ClusterRecord, EksState, invalid
from infra.local.simulators.paging import identifier, page
from infra.local.simulators.service import ServiceError

if TYPE_CHECKING:
    from infra.local.simulators.service import JsonObject, ServiceRequest

POLICY_ARN = "arn:aws:eks::aws:cluster-access-policy/"
POLICIES = frozenset(
    f"{POLICY_ARN}{name}"
    for name in (
        "AmazonEKSClusterAdminPolicy",
        "AmazonEKSAdminPolicy",
        "AmazonEKSAdminViewPolicy",
        "AmazonEKSEditPolicy",
        "AmazonEKSViewPolicy",
    )
)
NODE_TYPES = frozenset({"EC2_LINUX", "EC2_WINDOWS", "FARGATE_LINUX", "HYBRID_LINUX", "HYPERPOD_LINUX"})
CLUSTER_SCOPE = {"type": "cluster", "namespaces": []}


class AccessEntries:
    """The access entry operations of EKS."""

    def __init__(self, state: EksState) -> None:
        self._state = state

    def create(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """CreateAccessEntry."""
        cluster = self._managed(params["clusterName"], active=True)
        principal = params["principalArn"]
        if principal in cluster.entries:
            message = "The specified access entry resource is already in use on this cluster."
            raise ServiceError("ResourceInUseException", message, 409, clusterName=cluster.name)
        self._refuse(params)
        entry = self._entry(cluster, principal, params.get("type", "STANDARD"))
        entry.username = params.get("username", entry.username)
        entry.groups = params.get("kubernetesGroups", entry.groups)
        entry.tags = params.get("tags", {})
        return {"accessEntry": _described(cluster, entry)}

    def describe(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """DescribeAccessEntry."""
        cluster, entry = self._found(params)
        return {"accessEntry": _described(cluster, entry)}

    def list_all(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """ListAccessEntries."""
        cluster = self._managed(params["clusterName"])
        policy = params.get("associatedPolicyArn")
        principals = sorted(arn for arn, entry in cluster.entries.items() if policy is None or policy in entry.policies)
        chosen, token = page(
            principals,
            token=params.get("nextToken"),
            size=params.get("maxResults"),
            invalid="InvalidParameterException",
        )
        return {"accessEntries": chosen, "nextToken": token}

    def update(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """UpdateAccessEntry; what is not sent stays, groups that are sent replace those of before."""
        cluster, entry = self._found(params, active=True)
        self._refuse({"type": entry.type, **params})
        entry.username = params.get("username", entry.username)
        entry.groups = params.get("kubernetesGroups", entry.groups)
        return {"accessEntry": _described(cluster, entry)}

    def delete(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """DeleteAccessEntry."""
        cluster, entry = self._found(params, active=True)
        del cluster.entries[entry.principal_arn]
        return {}

    def associate(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """AssociateAccessPolicy; once more with another scope replaces the scope."""
        cluster, entry = self._found(params, active=True)
        if params["policyArn"] not in POLICIES:
            message = "The specified policyArn could not be found."
            raise ServiceError("ResourceNotFoundException", message, 404, clusterName=cluster.name)
        if entry.type != "STANDARD":
            message = f"Access policies cannot be associated with an access entry of type {entry.type}."
            raise ServiceError("InvalidRequestException", message, clusterName=cluster.name)
        scope = params["accessScope"]
        if scope.get("type") not in ("cluster", "namespace") or (scope["type"] == "namespace") != bool(
            scope.get("namespaces")
        ):
            raise invalid("The access scope is not valid: namespaces belong to type namespace.")
        policy = self._grant(entry, params["policyArn"], scope)
        return {"clusterName": cluster.name, "principalArn": entry.principal_arn, "associatedAccessPolicy": policy}

    def disassociate(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """DisassociateAccessPolicy."""
        cluster, entry = self._found(params, active=True)
        if entry.policies.pop(params["policyArn"], None) is None:
            message = "The specified policyArn is not associated with the access entry."
            raise ServiceError("ResourceNotFoundException", message, 404, clusterName=cluster.name)
        return {}

    def list_associated(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """ListAssociatedAccessPolicies."""
        cluster, entry = self._found(params)
        policies, token = page(
            list(entry.policies.values()),
            token=params.get("nextToken"),
            size=params.get("maxResults"),
            invalid="InvalidParameterException",
        )
        named = {"clusterName": cluster.name, "principalArn": entry.principal_arn}
        return {**named, "associatedAccessPolicies": policies, "nextToken": token}

    def admit_creator(self, cluster: ClusterRecord, caller: str) -> None:
        """Give the cluster's creator an administrator's entry (bootstrapClusterCreatorAdminPermissions)."""
        if cluster.authentication_mode == "CONFIG_MAP":
            return
        entry = self._entry(cluster, self._principal(caller), "STANDARD")
        self._grant(entry, f"{POLICY_ARN}AmazonEKSClusterAdminPolicy", CLUSTER_SCOPE)

    def admit_nodes(self, cluster_name: str, role_arn: str) -> None:
        """The entry HyperPod makes for an execution role (SageMaker Developer Guide, HyperPod on EKS)."""
        cluster = self._state.cluster(cluster_name)
        if role_arn not in cluster.entries:
            self._entry(cluster, role_arn, "HYPERPOD_LINUX")

    def _principal(self, caller: str) -> str:
        """The ARN an entry is made for: a session's role, with its path."""
        if ":assumed-role/" not in caller:
            return caller
        role = neighbours.role_of(self._state.host.iam(), caller)
        return str(role["Arn"]) if role else caller

    def _entry(self, cluster: ClusterRecord, principal: str, kind: str) -> AccessEntryRecord:
        resource = f"access-entry/{cluster.name}/{principal.split(':')[5].split('/')[0]}/{self._state.account_id}"
        entry = AccessEntryRecord(
            principal_arn=principal,
            arn=self._state.arn(f"{resource}/{principal.split('/')[-1]}/{identifier(self._state.mint(), 36)}"),
            type=kind,
            username=_username(principal, kind),
            groups=["system:nodes"] if kind in NODE_TYPES else [],
            created_at=self._state.now(),
        )
        cluster.entries[principal] = entry
        return entry

    def _grant(self, entry: AccessEntryRecord, policy_arn: str, scope: JsonObject) -> JsonObject:
        now = self._state.now()
        before = entry.policies.get(policy_arn, {"associatedAt": now})
        policy = {
            "policyArn": policy_arn,
            "accessScope": {"type": scope["type"], "namespaces": scope.get("namespaces", [])},
            "associatedAt": before["associatedAt"],
            "modifiedAt": now,
        }
        entry.policies[policy_arn] = policy
        return policy

    def _refuse(self, params: JsonObject) -> None:
        kind, groups = params.get("type", "STANDARD"), params.get("kubernetesGroups", [])
        if kind not in NODE_TYPES | {"STANDARD"}:
            raise invalid(f"The specified access entry type is invalid: {kind}")
        if kind != "STANDARD" and (groups or params.get("username")):
            raise invalid(f"An access entry of type {kind} takes neither kubernetesGroups nor username.")
        reserved = [group for group in groups if group.startswith("system:")]
        if reserved:
            raise invalid(f"The kubernetes group name {reserved[0]} is invalid, it cannot start with system:")
        arn = params["principalArn"]
        is_role = ":role/" in arn
        if not arn.startswith("arn:aws") or ":iam:" not in arn or not (is_role or ":user/" in arn):
            raise invalid("The principalArn parameter format is not valid")
        if is_role and not neighbours.role_of(self._state.host.iam(), arn):
            raise invalid("The specified principalArn is invalid: invalid principal.")

    def _managed(self, cluster_name: str, *, active: bool = False) -> ClusterRecord:
        cluster = self._state.active_cluster(cluster_name) if active else self._state.cluster(cluster_name)
        if cluster.authentication_mode == "CONFIG_MAP":
            message = (
                "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] to perform this"
                " operation."
            )
            raise ServiceError("InvalidRequestException", message, clusterName=cluster.name)
        return cluster

    def _found(self, params: JsonObject, *, active: bool = False) -> tuple[ClusterRecord, AccessEntryRecord]:
        cluster = self._managed(params["clusterName"], active=active)
        entry = cluster.entries.get(params["principalArn"])
        if entry is None:
            message = (
                "The specified principalArn could not be found. You can view your available access entries with"
                " 'list-access-entries'."
            )
            raise ServiceError("ResourceNotFoundException", message, 404, clusterName=cluster.name)
        return cluster, entry


def _username(principal: str, kind: str) -> str:
    if kind in NODE_TYPES:
        return "system:node:{{SessionName}}" if kind == "HYPERPOD_LINUX" else "system:node:{{EC2PrivateDNSName}}"
    if ":role/" not in principal:
        return principal
    account, role = principal.split(":")[4], principal.split("/")[-1]
    return f"arn:aws:sts::{account}:assumed-role/{role}/{{{{SessionName}}}}"


def _described(cluster: ClusterRecord, entry: AccessEntryRecord) -> JsonObject:
    return {
        "clusterName": cluster.name,
        "principalArn": entry.principal_arn,
        "kubernetesGroups": entry.groups,
        "accessEntryArn": entry.arn,
        "createdAt": entry.created_at,
        "modifiedAt": entry.created_at,
        "tags": entry.tags,
        "username": entry.username,
        "type": entry.type,
    }
