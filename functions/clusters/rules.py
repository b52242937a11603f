"""Decisions about clusters: what a request comes to, which zones it may name, what has to stand first."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Final, TypedDict

from pydantic import TypeAdapter

from functions.clusters.models import (
    ConfigureDependencies,
    CreateCluster,
    HyperPod,
    S3Mount,
)
from functions.clusters.names import derived
from functions.core.cluster import ClusterNames, ClusterSpec, DesiredGroup, DesiredMount, ReusedResources
from functions.core.errors import AlreadyExists, PreconditionFailed
from functions.core.findings import Finding, Level, unfinished
from functions.core.phases import CONDITIONS, PREFLIGHT, VERIFY
from functions.network.reuse.rules.endpoint import reach
from functions.network.reuse.rules.names import names_in, stages_of
from functions.network.subnets.rules.needs import stages_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from pydantic import JsonValue

    from functions.clusters.models import Condition

Request = CreateCluster | ConfigureDependencies | HyperPod | S3Mount

# An item of DynamoDB holds 400 KB; beside the request an operation's record has findings and results.
LARGEST_REQUEST: Final = 256 * 1024

CREATE_CLUSTER: Final = "create_cluster"
CREATE_FOUNDATION: Final = "create_foundation"
CONFIGURE_DEPENDENCIES: Final = "configure_dependencies"
CREATE_HYPERPOD: Final = "create_hyperpod"
CREATE_STORAGE: Final = "create_storage"

ROLES: Final = ("admin", "operator")
RELEASES: Final = ("dependencies",)
# A pod gets what its service account has when it is admitted: the driver's chain comes before the driver's pods.
# Source: Amazon EKS user guide, "Assign an IAM role to a Kubernetes service account".
FEATURES: Final = (
    "addon:coredns",
    "addon:eks-pod-identity-agent",
    "identity_chain:s3-csi-driver",
    "addon:aws-mountpoint-s3-csi-driver",
)
SCOPES: Final = {
    CREATE_CLUSTER: ["foundation", "dependencies", "hyperpod", "storage"],
    CREATE_FOUNDATION: ["foundation"],
    CONFIGURE_DEPENDENCIES: ["dependencies"],
    CREATE_HYPERPOD: ["hyperpod"],
    CREATE_STORAGE: ["storage"],
}
# The operation that makes a phase stand by itself.
_MADE_BY: Final = {
    "foundation": CREATE_FOUNDATION,
    "dependencies": CONFIGURE_DEPENDENCIES,
    "hyperpod": CREATE_HYPERPOD,
    "storage": CREATE_STORAGE,
}
# The phases that have to stand before an operation begins: all those before its own.
_BEFORE: Final = {_MADE_BY[phase]: tuple(CONDITIONS)[:place] for place, phase in enumerate(CONDITIONS)}


def names_of(tag: str, account: str, region: str, reused: ReusedResources | None = None) -> ClusterNames:
    """Name the parts of a cluster that is created now; what it takes over keeps its own name."""
    return ClusterNames(**derived(tag, account, region) | names_in(reused or ReusedResources()))


def generated_tag(caller: str, key: str) -> str:
    """Make a tag for a request without one: the same for the same caller and key."""
    digest = hashlib.sha256("\n".join((caller, key)).encode()).hexdigest()
    return f"hypd-{digest[:8]}"


def spec_of(
    request: CreateCluster, tag: str, account: str, region: str, at: datetime, egress: Sequence[str] = ()
) -> ClusterSpec:
    """Write the desired state that a creation begins with; `egress` are the control plane's own fixed addresses."""
    reused = request.foundation.reused
    return ClusterSpec(
        tag=tag,
        account_id=account,
        region=region,
        names=names_of(tag, account, region, reused),
        control_plane_availability_zones=request.foundation.control_plane_availability_zones,
        kubernetes_version=request.foundation.kubernetes_version,
        reused=reused,
        ranges=request.foundation.chosen,
        public_access_cidrs=reach(request.foundation.public_access_cidrs, egress),
        created_at=at,
        owner_groups=request.owner_groups,
        company_tags=request.company_tags,
        **_hyperpod_members(request.hyperpod),
        mounts=[_desired(request.storage)] if request.storage else [],
    )


def changes_of(request: Request, spec: ClusterSpec) -> dict[str, JsonValue] | None:
    """Give the members of an existing cluster's desired state that a request changes; None when it changes none."""
    match request:
        case HyperPod():
            members: Mapping[str, object] = _hyperpod_members(request)
        case S3Mount():
            members = {"mounts": _merged(spec.mounts, _desired(request))}
        case _:
            return None
    return {name: _plain(value) for name, value in members.items()}


class _HyperPodMembers(TypedDict, total=False):
    availability_zone: str
    subnet_prefix: int | None
    instance_groups: list[DesiredGroup]
    node_recovery: str
    on_shortage: str


def _hyperpod_members(hyperpod: HyperPod | None) -> _HyperPodMembers:
    if hyperpod is None:
        return {}
    return {
        "availability_zone": hyperpod.availability_zone,
        "subnet_prefix": hyperpod.subnet_prefix,
        "instance_groups": desired_groups(hyperpod),
        "node_recovery": hyperpod.node_recovery,
        "on_shortage": hyperpod.on_shortage,
    }


def desired_groups(request: Request) -> list[DesiredGroup]:
    """Give the instance groups of a request as the desired state has them; none for a request about something else."""
    return [DesiredGroup(**group.model_dump()) for group in request.groups] if isinstance(request, HyperPod) else []


def _desired(storage: S3Mount) -> DesiredMount:
    return DesiredMount(**storage.model_dump())


def _merged(mounts: Sequence[DesiredMount], mount: DesiredMount) -> list[DesiredMount]:
    """Add a mount to those there are; a mount of that namespace and name takes the place of its earlier self."""
    named = {(each.namespace, each.name): each for each in (*mounts, mount)}
    return list(named.values())


def _plain(value: object) -> JsonValue:
    plain: JsonValue = TypeAdapter(object).dump_python(value, mode="json")
    return plain


def kind_of(request: Request) -> str:
    """Say which kind of operation a request asks for."""
    match request:
        case CreateCluster():
            return CREATE_FOUNDATION if request.hyperpod is None else CREATE_CLUSTER
        case HyperPod():
            return CREATE_HYPERPOD
        case S3Mount():
            return CREATE_STORAGE
        case _:
            return CONFIGURE_DEPENDENCIES


def too_large(request: JsonValue) -> int | None:
    """Give the size of a request that is too large to be kept, in bytes of JSON; None when it is not."""
    size = len(json.dumps(request).encode())
    return size if size > LARGEST_REQUEST else None


def plan(kind: str, request: Request) -> list[tuple[str, str]]:
    """List the stages of an operation in order, each with its phase."""
    reused = request.foundation.reused if isinstance(request, CreateCluster) else None
    foundation = [("foundation", name) for name in (*stages_of(reused), "foundation")]
    names = [
        *(f"access_entry:{role}" for role in ROLES),
        "cluster_role:operator",
        *(f"helm_release:{name}" for name in RELEASES),
        *FEATURES,
    ]
    dependencies = [("dependencies", name) for name in names]
    stages = {
        CREATE_FOUNDATION: foundation,
        CONFIGURE_DEPENDENCIES: dependencies,
        CREATE_CLUSTER: foundation + dependencies,
    }.get(kind, [])
    hyperpod = request.hyperpod if isinstance(request, CreateCluster) else request
    storage = request.storage if isinstance(request, CreateCluster) else request
    if isinstance(hyperpod, HyperPod):
        stages = stages + _hyperpod_stages(hyperpod)
    if isinstance(storage, S3Mount):
        stages = [*stages, ("storage", f"mount:{_place_of(storage)}")]
    return [*stages, (VERIFY, "verify")]


def look_again(findings: Iterable[Finding]) -> list[tuple[str, str]]:
    """List the stage that comes before all others where a check did not come to an end."""
    return [(PREFLIGHT, "preflight")] if unfinished(findings) else []


def _place_of(storage: S3Mount) -> str:
    return storage.name if storage.namespace == "default" else f"{storage.namespace}/{storage.name}"


def _hyperpod_stages(hyperpod: HyperPod) -> list[tuple[str, str]]:
    subnets = stages_for(hyperpod.groups, hyperpod.availability_zone)
    names = (*subnets, "lifecycle_scripts", "hyperpod_cluster", "hyperpod_nodes")
    return [("hyperpod", name) for name in names]


def out_of_turn(tag: str, kind: str, conditions: Sequence[Condition]) -> list[Finding]:
    """Find what an operation needs and the cluster does not have yet, and what it would make and the cluster has."""
    return [found for found in (unmet(tag, kind, conditions), already_done(tag, kind, conditions)) if found]


def unmet(tag: str, kind: str, conditions: Iterable[Condition]) -> Finding | None:
    """Find the first earlier phase that is not done, None when the operation may begin."""
    known = {condition.type: condition for condition in conditions}
    for phase in _BEFORE.get(kind, ()):
        condition = known.get(CONDITIONS[phase])
        if condition is None or condition.status != "True":
            return _too_early(tag, CONDITIONS[phase], _MADE_BY[phase], condition.message if condition else None)
    return None


def already_done(tag: str, kind: str, conditions: Iterable[Condition]) -> Finding | None:
    """Find that an operation would create what stands: a HyperPod cluster is created once."""
    standing = {condition.type for condition in conditions if condition.status == "True"}
    return _stands_already(tag) if kind == CREATE_HYPERPOD and CONDITIONS["hyperpod"] in standing else None


def _too_early(tag: str, condition: str, made_by: str, message: str | None) -> Finding:
    reason = f" ({message})" if message else ""
    return Finding(
        check="order",
        level=Level.ERROR,
        code=PreconditionFailed.code,
        resource=condition,
        message=f"cluster {tag} does not have the condition {condition}{reason}",
        remedy=f"Let an operation {made_by} on {tag} succeed first.",
    )


def _stands_already(tag: str) -> Finding:
    return Finding(
        check="order",
        level=Level.ERROR,
        code=AlreadyExists.code,
        message=f"cluster {tag} has its HyperPod cluster",
        remedy=f"GET /api/clusters/{tag} shows its instance groups; create another cluster for other groups.",
    )


def taken(tag: str) -> Finding:
    """Say that a cluster of a tag exists."""
    return Finding(
        check="tag",
        level=Level.ERROR,
        code=AlreadyExists.code,
        field="tag",
        message=f"a cluster with the tag {tag!r} exists",
        remedy="Choose another tag, or change the existing cluster.",
    )


def generated(tag: str) -> Finding:
    """Say which tag was generated for a preview: another request without one gets another."""
    message = f"was left out; {tag} was generated for this preview"
    remedy = f"To confirm the preview, send tag {tag} with the request."
    return Finding(check="tag", level=Level.INFO, field="tag", message=message, remedy=remedy)
