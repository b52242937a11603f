"""The images of HyperPod's instances: groups whose nodes are behind are updated, batch by batch, and waited for."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from functions.aws import eks, hyperpod_software
from functions.clusters.upgrades.rules import nodes as rules
from functions.clusters.upgrades.rules.nodes import NodeFact
from functions.clusters.upgrades.stages.request import rollout_of, target_of
from functions.core import runtime, settings
from functions.core.drifts import ABSENT
from functions.core.errors import Cause, Layer, StageFailed
from functions.core.ledger.models import Reason
from functions.core.stage import Applied, Done, Failed, Observation, Reapply, StageContext, Waiting
from functions.kubernetes_api import connection, nodes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from functions.aws.hyperpod_software import Instance
    from functions.clusters.upgrades.models import Compute
    from functions.kubernetes_api.nodes import Node

# Says in the stage's resources that HyperPod took an update on, or had one under way.
_BEGUN: Final = "hyperpod-software-update/"
_UPDATING: Final = "SystemUpdating"
# DescribeCluster shows an update that was accepted, and no longer the one before, within moments.
_SHOWS_WITHIN: Final = timedelta(minutes=2)
_LONG: Final = timedelta.max
# From there HyperPod does not come back by itself.
_LOST: Final = ("Failed", "Deleting")
# Kubelets report again within minutes.
_REPORTS_WITHIN: Final = timedelta(minutes=10)


class NodeImages:
    """The nodes' images, and with them their kubelets; a cluster without HyperPod has none that could be behind."""

    def apply(self, context: StageContext) -> Applied:
        """Begin to update the groups that are behind, unless HyperPod is at it."""
        compute = _compute(context)
        if compute is None:
            return Applied(_without(context))
        found = _nodes(context)
        begun = (f"{_BEGUN}{context.cluster.names.hyperpod_cluster}",)
        if compute.status == _UPDATING:
            return Applied("HyperPod is updating software already", begun)
        if compute.status != "InService":
            return Applied(f"the HyperPod cluster is {compute.status}")
        groups = list(rules.behind(compute, found, target_of(context)))
        if not groups:
            return Applied("no group is behind")
        hyperpod_software.update(context.cluster.names.hyperpod_cluster, groups, rollout_of(context))
        return Applied(f"updating the nodes of {', '.join(groups)}", begun)

    def observe(self, context: StageContext) -> Observation:
        """Done when all nodes are Ready at the version; a failure names the nodes that are not."""
        compute, target = _compute(context), target_of(context)
        if compute is None:
            return Done({"version": target, "hyperpod_cluster": ABSENT}, _without(context))
        every = _nodes(context)
        found = rules.concerned(compute, every)
        if compute.status in _LOST:
            return Failed(_lost(context, compute))
        if compute.status != "InService":
            return _waiting(f"{rules.progress(found, target)}; the HyperPod cluster is {compute.status}")
        if any(each.startswith(_BEGUN) for each in context.stage.resources):
            return _after(context, compute, found)
        if rules.behind(compute, every, target):
            return Reapply(f"{rules.progress(found, target)}; not begun")
        return _ended(found, target, _LONG)


def _after(context: StageContext, compute: Compute, found: Sequence[NodeFact]) -> Observation:
    """Look at an update that was begun and has ended."""
    target, age = target_of(context), runtime.now() - (context.stage.started_at or runtime.now())
    taken_back = rules.failed(compute, found, target)
    if taken_back and age >= _SHOWS_WITHIN:
        late = [node for each in taken_back.values() for node in each]
        return Failed(rules.not_updated([*taken_back], late, target))
    return _ended(found, target, age)


def _ended(found: Sequence[NodeFact], target: str, age: timedelta) -> Observation:
    """Look at nodes that HyperPod is through with: they report their version, then they are Ready."""
    said = rules.progress(found, target)
    if late := rules.late(found, target):
        if min(age, _since_update(late)) < _REPORTS_WITHIN:
            return _waiting(said)
        return Failed(rules.not_updated(sorted({node.group for node in late}), late, target))
    unready = [node for node in found if not node.ready]
    if unready and _since_update(unready) >= rules.READY_WITHIN:
        return Failed(rules.not_ready(unready, target))
    return _waiting(said) if unready else Done({"version": target, "nodes": len(found)}, said)


def _since_update(found: Sequence[NodeFact]) -> timedelta:
    """Say how long ago the last of some nodes was updated; long ago where none of them ever was."""
    moments = [node.updated_at for node in found if node.updated_at]
    return runtime.now() - max(moments) if moments else _LONG


def _waiting(said: str) -> Waiting:
    return Waiting(int(settings.required("NODES_POLL_SECONDS")) * 2, said, Reason.WAITING_NODES)


def _compute(context: StageContext) -> Compute | None:
    return hyperpod_software.describe(context.cluster.names.hyperpod_cluster)


def _without(context: StageContext) -> str:
    return f"there is no HyperPod cluster {context.cluster.names.hyperpod_cluster}, and no node to update"


def _lost(context: StageContext, compute: Compute) -> StageFailed:
    name = context.cluster.names.hyperpod_cluster
    return StageFailed(
        f"The HyperPod cluster {name} is {compute.status}.",
        cause=Cause(layer=Layer.HYPERPOD, service="sagemaker", code=compute.status, resource=name),
        remedy="See what the cluster's events say; once it is InService again, retry the operation.",
    )


def _nodes(context: StageContext) -> list[NodeFact]:
    """Join what HyperPod and Kubernetes say of each instance. Raises the client's own errors."""
    names = context.cluster.names
    found = nodes.hyperpod_nodes(connection.connect(names.eks_cluster, eks.api_server_of))
    known = {node.instance_id: node for node in found}
    return [_joined(one, known.get(one.instance_id)) for one in hyperpod_software.instances(names.hyperpod_cluster)]


def _joined(instance: Instance, node: Node | None) -> NodeFact:
    return NodeFact(
        instance_id=instance.instance_id,
        group=instance.group,
        status=instance.status,
        message=instance.message,
        newest=instance.newest,
        version=node.version if node else "",
        ready=node.ready if node else False,
        updated_at=instance.updated_at,
    )
