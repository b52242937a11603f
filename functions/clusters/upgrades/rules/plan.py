"""What an upgrade does, in order: the stages, and the same as changes of a preview."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.clusters.upgrades.rules.versions import minor_of
from functions.core.phases import PREFLIGHT, VERIFY
from functions.core.previews import Action, Change

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic import JsonValue

    from functions.clusters.upgrades.models import AddonFact, GroupFact, Readiness, UpgradeCluster
    from functions.core.cluster import ClusterSpec
    from functions.core.ledger.models import JsonObject

KIND: Final = "upgrade_cluster"
RELEASE: Final = "dependencies"
# The order in which EKS recommends to update its own add-ons after the control plane; others follow by name.
# Source: Amazon EKS best practices guide, "Cluster upgrades".
_ORDER: Final = (
    "kube-proxy",
    "vpc-cni",
    "coredns",
    "eks-pod-identity-agent",
    "aws-mountpoint-s3-csi-driver",
)
# Add-ons that a foundation's stack owns, by the parameter that holds their version.
STACK_PARAMETERS: Final = {"kube-proxy": "KubeProxyVersion", "vpc-cni": "VpcCniVersion"}


def by_stack(cluster: ClusterSpec) -> bool:
    """Say whether a stack of ours owns the control plane; changed in another way, the two would differ."""
    return cluster.origin == "created"


def stages(cluster: ClusterSpec, found: Readiness, *, release: bool, nodes: bool) -> list[tuple[str, str]]:
    """List the stages in order, each with its phase.

    `release` says whether the Helm release is ours, `nodes` whether there may be a HyperPod cluster.
    """
    own = [addon.name for addon in _ordered(found) if by_stack(cluster) and addon.name in STACK_PARAMETERS]
    others = [addon.name for addon in _ordered(found) if addon.name not in own]
    return [
        (PREFLIGHT, "upgrade_preflight"),
        ("control_plane", "control_plane"),
        *([("addons", "foundation_addons")] if own else []),
        *(("addons", f"addon:{name}") for name in others),
        *([("addons", f"helm_release:{RELEASE}")] if release else []),
        *([("nodes", "node_images")] if nodes else []),
        ("nodes", "cluster_version"),
        (VERIFY, "verify"),
    ]


def kept_request(request: UpgradeCluster, found: Readiness, target: str) -> JsonObject:
    """Write what the stages work by: the target settled, and the version of each add-on as it was previewed."""
    asked: JsonObject = request.model_dump(mode="json")
    return {**asked, "kubernetes_version": target, "addon_versions": {**found.pinned}}


def noted(cluster: ClusterSpec, found: Readiness, target: str) -> JsonObject | None:
    """Note, before the first upgrade, which version everything is at: an upgrade that breaks off is seen by that."""
    present = found.control_plane.version
    return {"kubernetes_version": present} if cluster.kubernetes_version is None and present != target else None


def read(cluster: ClusterSpec, found: Readiness) -> Mapping[str, JsonValue]:
    """Give the versions of what an upgrade is decided by."""
    groups = found.compute.groups if found.compute else ()
    return {
        "spec": cluster.version,
        "control_plane": found.control_plane.version,
        "addons": {addon.name: addon.version for addon in found.addons or ()},
        "groups": {group.name: group.release for group in groups} if found.compute_known else None,
    }


def changes(
    cluster: ClusterSpec, found: Readiness, request: UpgradeCluster, target: str, *, release: bool, nodes: bool
) -> list[Change]:
    """Write what changes, in the order in which it does; `release` and `nodes` are as for the stages."""
    return [
        _control_plane(cluster, found, target),
        *(_addon(cluster, addon, target) for addon in _ordered(found) if addon.target),
        *([_release()] if release else []),
        *_groups(found, request, target),
        *([_unread_groups(cluster, request, target)] if nodes and not found.compute_known else []),
    ]


def _ordered(found: Readiness) -> list[AddonFact]:
    places = {name: place for place, name in enumerate(_ORDER)}
    return sorted(found.addons or (), key=lambda addon: (places.get(addon.name, len(places)), addon.name))


def _control_plane(cluster: ClusterSpec, found: Readiness, target: str) -> Change:
    plane = found.control_plane
    way = f"through the stack {cluster.names.stack}" if by_stack(cluster) else "by EKS's UpdateClusterVersion"
    if minor_of(plane.version) == minor_of(target):
        said = f"; the stack {cluster.names.stack} is made to say so where it does not" if by_stack(cluster) else ""
        return Change(
            action=Action.KEEP,
            resource="EKS control plane",
            name=plane.name,
            reason=f"is at {target} already{said}",
            stage="control_plane",
        )
    return Change(
        action=Action.CHANGE,
        resource="EKS control plane",
        name=plane.name,
        reason=f"from Kubernetes {plane.version} to {target}, {way}; there is no way back",
        stage="control_plane",
        irreversible=True,
    )


def _addon(cluster: ClusterSpec, addon: AddonFact, target: str) -> Change:
    own = by_stack(cluster) and addon.name in STACK_PARAMETERS
    keeps = addon.target == addon.version
    return Change(
        action=Action.KEEP if keeps else Action.CHANGE,
        resource="EKS add-on",
        name=addon.name,
        reason=f"{addon.version} is for {target} too" if keeps else f"from {addon.version} to {addon.target}",
        stage="foundation_addons" if own else f"addon:{addon.name}",
    )


def _release() -> Change:
    return Change(
        action=Action.CHANGE,
        resource="Helm release",
        name=RELEASE,
        reason="is upgraded where this release of the control plane ships another chart or other values, else kept",
        stage=f"helm_release:{RELEASE}",
    )


def _groups(found: Readiness, request: UpgradeCluster, target: str) -> Iterator[Change]:
    for group in found.compute.groups if found.compute else ():
        yield _custom(group) if group.custom else _group(group, request, target)


def _group(group: GroupFact, request: UpgradeCluster, target: str) -> Change:
    return Change(
        action=Action.CHANGE,
        resource="instance group",
        name=group.name,
        reason=f"HyperPod's newest image for {target} replaces the root volumes of its {_counted(group)}, "
        f"{request.rollout.words}; a group whose nodes all have it is left alone",
        stage="node_images",
        irreversible=True,
    )


def _unread_groups(cluster: ClusterSpec, request: UpgradeCluster, target: str) -> Change:
    return Change(
        action=Action.CHANGE,
        resource="HyperPod cluster",
        name=cluster.names.hyperpod_cluster,
        reason=f"its instance groups could not be read: if there are any, HyperPod's newest image for {target} "
        f"replaces the root volumes of all nodes that do not have it, {request.rollout.words}",
        stage="node_images",
        irreversible=True,
    )


def _custom(group: GroupFact) -> Change:
    return Change(
        action=Action.KEEP,
        resource="instance group",
        name=group.name,
        reason="has an image of its owner's",
        stage="node_images",
    )


def _counted(group: GroupFact) -> str:
    return "node" if group.count == 1 else f"{group.count} nodes"
