"""Which stages an import, another look and a farewell consist of, and what of a cluster they change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from functions.clusters.importing.rules.admission import moves_mode
from functions.clusters.names import TAG_LIMIT, TAG_PATTERN, derived
from functions.core.cluster import ClusterNames, ClusterSpec, Surroundings
from functions.core.errors import AlreadyExists, PreconditionFailed
from functions.core.findings import Finding, Level
from functions.core.phases import CONDITIONS, VERIFY
from functions.core.previews import Action, Change, bounded
from functions.core.requests import fits
from functions.identity.rules import ACCESS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from functions.clusters.importing.models.found import Detected, FoundEks
    from functions.clusters.importing.models.requests import Consents, ForgetCluster, ImportCluster
    from functions.clusters.models import Condition

IMPORT: Final = "import_cluster"
REDETECT: Final = "redetect_cluster"
FORGET: Final = "forget_cluster"
SCOPES: Final = ["cluster"]
_DETECTION: Final = "detection"
_ACCESS: Final = "access"
_REMOVAL: Final = "access_removal"


@dataclass(frozen=True)
class Remembered:
    """What the ledger has of a cluster beside its desired state; `people` are the principals that were let in."""

    conditions: Sequence[Condition] = ()
    detected: Detected | None = None
    people: Sequence[str] = ()


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
            training_role=named["training_role"],
            inference_role=named["inference_role"],
            role_path=named["role_path"],
        ),
        owner_groups=request.owner_groups,
        company_tags=request.company_tags,
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


def forget_changes(spec: ClusterSpec, request: ForgetCluster, seen: Remembered) -> list[Change]:
    """Say what a farewell takes back, and what it leaves as it is."""
    kept = [_kept("EKS cluster", spec.names.eks_cluster, "stays as it is")]
    kept += _kept_hyperpod(spec, seen)
    if not request.remove_access_entries:
        why = "the control plane let this principal in; remove_access_entries=true takes that back"
        return [*kept, *bounded([_kept("EKS access entry", principal, why) for principal in seen.people])]
    why = "was made by the control plane for itself; one that somebody else made stays"
    rights = _taken("Kubernetes cluster role", "operator", why, "cluster_role_removal:operator")
    own = [_taken("EKS access entry", role, why, "leave_cluster") for role in ACCESS]
    why = "the control plane let this principal in; an entry that does not carry its tags stays"
    taken = bounded([_taken("EKS access entry", each, why, "leave_cluster") for each in seen.people])
    return [rights, *taken, *own, *kept]


def leaves_capacity(spec: ClusterSpec, conditions: Iterable[Condition]) -> bool:
    """Say whether a HyperPod cluster may still run: its instances cost money, whoever remembers it."""
    stands = any((each.type, each.status) == (CONDITIONS["hyperpod"], "True") for each in conditions)
    return stands or bool(spec.instance_groups)


def _kept_hyperpod(spec: ClusterSpec, seen: Remembered) -> list[Change]:
    found = seen.detected.hyperpod if seen.detected else None
    name = found.name if found else spec.names.hyperpod_cluster
    if leaves_capacity(spec, seen.conditions):
        return [_kept("HyperPod cluster", name, "it runs on, and costs money")]
    return [_kept("HyperPod cluster", name, "stays as it is")] if found else []


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


def _taken(resource: str, name: str, reason: str, stage: str) -> Change:
    return Change(action=Action.DELETE, resource=resource, name=name, reason=reason, stage=stage)


def _kept(resource: str, name: str, reason: str) -> Change:
    return Change(action=Action.KEEP, resource=resource, name=name, reason=reason)
