"""Which stages an import, another look and a farewell consist of, and what of a cluster they change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.clusters.importing.rules.admission import moves_mode
from functions.clusters.names import TAG_LIMIT, TAG_PATTERN, derived
from functions.core.cluster import ClusterNames, ClusterSpec, Surroundings
from functions.core.errors import AlreadyExists, PreconditionFailed
from functions.core.findings import Finding, Level
from functions.core.phases import VERIFY
from functions.core.previews import Action, Change
from functions.core.requests import fits
from functions.identity.rules import ACCESS

if TYPE_CHECKING:
    from datetime import datetime

    from functions.clusters.importing.models.found import Detected, FoundEks
    from functions.clusters.importing.models.requests import Consents, ForgetCluster, ImportCluster

IMPORT: Final = "import_cluster"
REDETECT: Final = "redetect_cluster"
FORGET: Final = "forget_cluster"
SCOPES: Final = ["cluster"]
_DETECTION: Final = "detection"
_ACCESS: Final = "access"
_REMOVAL: Final = "access_removal"


def tag_of(request: ImportCluster, generated: str) -> str:
    """Give the tag asked for, else the EKS cluster's name where it can be a tag, else the generated one."""
    name = request.eks_cluster_name
    return request.tag or (name if fits(name, TAG_PATTERN, TAG_LIMIT) else generated)


def spec_of(request: ImportCluster, tag: str, account: str, region: str, eks: FoundEks, at: datetime) -> ClusterSpec:
    """Write the desired state that an import begins with: what the control plane alone tells."""
    named = derived(tag, account, region)
    role = request.execution_role_arn
    return ClusterSpec(
        tag=tag,
        account_id=account,
        region=region,
        names=ClusterNames(
            eks_cluster=eks.name,
            hyperpod_cluster=request.hyperpod_cluster_name or named["hyperpod_cluster"],
            bucket=request.bucket,
            control_plane_role=eks.role_arn.rpartition("/")[2],
            execution_role=role.rpartition("/")[2] if role else named["execution_role"],
            s3_csi_role=named["s3_csi_role"],
        ),
        created_at=at,
        origin="imported",
        surroundings=Surroundings(
            eks_arn=eks.arn,
            vpc_id=eks.vpc_id,
            security_group_id=eks.cluster_security_group_id,
            execution_role_arn=role,
        ),
    )


def import_stages(eks: FoundEks, consents: Consents) -> list[tuple[str, str]]:
    """List the stages of an import in order, each with its phase; what is changed is looked at again."""
    access = ["authentication_mode"] if moves_mode(eks, consents) else []
    if consents.create_access_entry:
        access += [*(f"access_entry:{role}" for role in ACCESS), "cluster_role:operator"]
    access += ["subnet_tags"] if consents.tag_subnets else []
    access += ["detect_cluster:again"] if access else []
    return [(_DETECTION, "detect_cluster"), *((_ACCESS, name) for name in access), (VERIFY, "detect_workloads")]


def redetect_stages() -> list[tuple[str, str]]:
    """List the stages of another look."""
    return [(_DETECTION, "detect_cluster"), (VERIFY, "detect_workloads")]


def forget_stages(request: ForgetCluster) -> list[tuple[str, str]]:
    """List the stages of a farewell: the rights in the cluster go before the entry by which they are reached."""
    rights = [(_REMOVAL, "cluster_role_removal:operator")] if request.remove_access_entries else []
    return [*rights, (_REMOVAL, "leave_cluster")]


def import_changes(eks: FoundEks, request: ImportCluster) -> list[Change]:
    """Say what an import changes, and what it takes over as it is."""
    changes = [_adopted("EKS cluster", eks.name, "is taken in as it is")]
    if request.hyperpod_cluster_name:
        changes.append(_adopted("HyperPod cluster", request.hyperpod_cluster_name, "is taken in with its groups"))
    if moves_mode(eks, request.consents):
        changes.append(
            Change(
                action=Action.CHANGE,
                resource="authentication mode",
                name=f"{eks.name}: CONFIG_MAP to API_AND_CONFIG_MAP",
                reason="HyperPod and the control plane come in by access entries",
                stage="authentication_mode",
                irreversible=True,
            )
        )
    if request.consents.create_access_entry:
        changes += [
            _made("EKS access entry", role, "lets a role of the control plane into the cluster", f"access_entry:{role}")
            for role in ACCESS
        ]
        why = "says what the control plane may do in the cluster"
        changes.append(_made("Kubernetes cluster role", "operator", why, "cluster_role:operator"))
    if request.consents.tag_subnets:
        why = "load balancers find the subnets by them"
        changes.append(_made("tags of subnets", f"subnets of {eks.name}", why, "subnet_tags"))
    return changes


def redetect_changes(spec: ClusterSpec) -> list[Change]:
    """Say that another look changes the ledger alone."""
    return [Change(action=Action.KEEP, resource="EKS cluster", name=spec.names.eks_cluster, reason="is only looked at")]


def forget_changes(spec: ClusterSpec, request: ForgetCluster, detected: Detected | None) -> list[Change]:
    """Say what a farewell takes back, and what it leaves as it is."""
    kept = [("EKS cluster", spec.names.eks_cluster)]
    if detected and detected.hyperpod:
        kept.append(("HyperPod cluster", detected.hyperpod.name))
    changes = [Change(action=Action.KEEP, resource=kind, name=name, reason="stays as it is") for kind, name in kept]
    if not request.remove_access_entries:
        return changes
    why = "was made by the control plane for itself; one that somebody else made stays"
    return [
        Change(
            action=Action.DELETE,
            resource="Kubernetes cluster role",
            name="operator",
            reason=why,
            stage="cluster_role_removal:operator",
        ),
        *(
            Change(action=Action.DELETE, resource="EKS access entry", name=role, reason=why, stage="leave_cluster")
            for role in ACCESS
        ),
        *changes,
    ]


def known_as(eks_cluster: str, tag: str) -> Finding:
    """Say that the ledger has the EKS cluster."""
    return Finding(
        check="eks_cluster_known",
        level=Level.ERROR,
        code=AlreadyExists.code,
        field="eks_cluster_name",
        message=f"the EKS cluster {eks_cluster} is known as {tag} already",
        resource=tag,
        remedy=f"Use the cluster {tag}; to import it under another tag, let it be forgotten first.",
    )


def not_imported(spec: ClusterSpec, instead: str) -> list[Finding]:
    """Refuse for a cluster of ours what is meant for imported ones."""
    if spec.origin == "imported":
        return []
    return [
        Finding(
            check="origin",
            level=Level.ERROR,
            code=PreconditionFailed.code,
            message=f"cluster {spec.tag} was created by the control plane, not imported",
            resource=spec.tag,
            remedy=instead,
        )
    ]


def _adopted(resource: str, name: str, reason: str) -> Change:
    return Change(action=Action.ADOPT, resource=resource, name=name, reason=reason)


def _made(resource: str, name: str, reason: str, stage: str) -> Change:
    return Change(action=Action.CREATE, resource=resource, name=name, reason=reason, stage=stage)
