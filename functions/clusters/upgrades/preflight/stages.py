"""The first stage of an upgrade: what was looked at when it was asked for, once more, and how old the kubelets are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.aws import eks, upgrade_readiness
from functions.clusters.upgrades.models import Rollout
from functions.clusters.upgrades.rules.findings import NOTHING, of_readiness, of_version
from functions.clusters.upgrades.rules.versions import LARGEST_SKEW, too_old
from functions.core.errors import Cause, Layer, PreconditionFailed
from functions.core.findings import refusal
from functions.core.stage import Applied, Behaviours, Done, Failed, Observation, StageContext
from functions.kubernetes_api import connection, nodes

if TYPE_CHECKING:
    from functions.clusters.upgrades.models import ControlPlane
    from functions.core.errors import Problem
    from functions.core.findings import Finding


class UpgradePreflight:
    """Makes nothing: finds out whether the upgrade may go on."""

    def apply(self, _: StageContext) -> Applied:
        """Leave everything as it is."""
        return Applied("looking at versions, insights, add-ons and nodes")

    def observe(self, context: StageContext) -> Observation:
        """Done when nothing stands in the way; what is not an error was told when the upgrade was asked for."""
        target, names = str(context.operation.request["kubernetes_version"]), context.cluster.names
        plane = _plane(names.eks_cluster)
        found = _findings(context, plane, target)
        problem = refusal([each for each in found if each.check != NOTHING]) or _skew(context, target)
        if problem:
            return Failed(problem)
        return Done(
            {"from": plane.version, "to": target}, f"nothing stands in the way from {plane.version} to {target}"
        )


def _findings(context: StageContext, plane: ControlPlane, target: str) -> list[Finding]:
    offered = tuple(eks.offered_versions())
    found = upgrade_readiness.gather(context.cluster.names, plane, offered, target, context.cluster.kubernetes_version)
    return [*of_version(plane.version, target, offered), *of_readiness(found, target, Rollout())]


def _plane(name: str) -> ControlPlane:
    plane = upgrade_readiness.control_plane(name)
    if plane is None:
        raise PreconditionFailed(
            f"There is no EKS cluster {name}.",
            cause=Cause(layer=Layer.AWS, service="eks", api_call="DescribeCluster", resource=name),
            remedy="Create or repair the cluster's foundation first.",
        )
    return plane


def _skew(context: StageContext, target: str) -> Problem | None:
    """Look at the kubelets themselves: groups with images of their owner's are left behind for as long as they like."""
    client = connection.connect(context.cluster.names.eks_cluster, eks.api_server_of)
    kubelets = {node.name: node.version for node in nodes.hyperpod_nodes(client)}
    old = too_old(kubelets, target)
    if not old:
        return None
    named = ", ".join(f"{name} ({kubelets[name]})" for name in old[:5])
    return PreconditionFailed(
        f"{len(old)} nodes would be more than {LARGEST_SKEW} minors behind a control plane of {target}: {named}.",
        cause=Cause(layer=Layer.KUBERNETES, code="KUBELET_SKEW", resource=old[0]),
        remedy="Update the software of these nodes' groups first, then upgrade the cluster.",
    )


STAGES: Behaviours = {"upgrade_preflight": UpgradePreflight()}
