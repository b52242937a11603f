"""The last look: everything is read back, and the summary says what there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.aws import eks, hyperpod
from functions.core.errors import Cause, Layer, StageFailed
from functions.core.stage import Applied, Behaviours, Done, Observation, StageContext
from functions.kubernetes_api import connection, nodes, objects
from functions.kubernetes_api.objects import PERSISTENT_VOLUME_CLAIMS, member

if TYPE_CHECKING:
    from functions.core.ledger.models import JsonObject
    from functions.kubernetes_api.nodes import Node


class Verify:
    """Reads back what the operation's stages made."""

    def apply(self, _: StageContext) -> Applied:
        """Make nothing."""
        return Applied("reading everything back")

    def observe(self, context: StageContext) -> Observation:
        """Done with the summary; what another stage made and is no longer there fails the operation."""
        made = {stage.name.partition(":")[0] for stage in context.operation.stages}
        summary: JsonObject = {"eks_cluster": _eks(context)}
        if "hyperpod_nodes" in made:
            summary |= _hyperpod(context)
        if "mount" in made:
            summary["storage"] = _storage(context)
        return Done(summary, "everything is there")


def _eks(context: StageContext) -> JsonObject:
    name = context.cluster.names.eks_cluster
    found = eks.describe_cluster(name)
    if found is None or found.status != "ACTIVE":
        raise _gone(f"EKS cluster {name}", found.status if found else "absent", Layer.AWS)
    return {"name": name, "arn": found.arn, "version": found.version, "status": found.status}


def _hyperpod(context: StageContext) -> JsonObject:
    name = context.cluster.names.hyperpod_cluster
    found = hyperpod.describe(name)
    if found is None or found.status != "InService":
        raise _gone(f"HyperPod cluster {name}", found.status if found else "absent", Layer.HYPERPOD)
    members = nodes.hyperpod_nodes(connection.connect(context.cluster.names.eks_cluster, eks.api_server_of))
    unusable = [node for node in members if not (node.ready and node.schedulable)]
    if unusable or not members:
        raise _gone("Nodes", ", ".join(node.name for node in unusable) or "absent", Layer.KUBERNETES)
    return {
        "hyperpod_cluster": {"name": name, "arn": found.arn, "status": found.status},
        "nodes": [_group(group, members) for group in found.groups],
        "node_status": "Ready / Schedulable",
    }


def _group(group: hyperpod.Group, members: list[Node]) -> JsonObject:
    ready = sum(1 for node in members if node.group == group.name)
    return {
        "instance_group": group.name,
        "instance_type": group.instance_type,
        "capacity_type": "on_demand",
        "count": group.current,
        "ready": ready,
    }


def _storage(context: StageContext) -> JsonObject:
    mount = context.result_of("mount")
    claim, namespace = str(mount["claim"]), str(mount["namespace"])
    client = connection.connect(context.cluster.names.eks_cluster, eks.api_server_of)
    found = objects.get(client, PERSISTENT_VOLUME_CLAIMS, claim, namespace)
    phase = member(found or {}, "status").get("phase")
    if phase != "Bound":
        raise _gone(f"Claim {namespace}/{claim}", str(phase or "absent"), Layer.KUBERNETES)
    return {"claim": claim, "namespace": namespace, "bucket": mount["bucket"], "status": "mounted"}


def _gone(what: str, state: str, layer: Layer) -> StageFailed:
    return StageFailed(
        f"{what}: {state}, although an earlier stage made it.",
        cause=Cause(layer=layer, resource=what),
        remedy="Find out who changes the cluster, then retry the operation.",
    )


STAGES: Behaviours = {"verify": Verify()}
