"""The last look: everything is read back, and the summary says what there is."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from functions.aws import addons, eks, hyperpod
from functions.clusters.verification.findings.stages import findings
from functions.core import runtime
from functions.core.documents import member
from functions.core.drifts import ABSENT
from functions.core.errors import Cause, Layer, StageFailed
from functions.core.stage import Applied, Behaviours, Done, Observation, StageContext, Waiting
from functions.core.tags import MANAGER
from functions.kubernetes_api import connection, nodes, objects
from functions.kubernetes_api.objects import PERSISTENT_VOLUME_CLAIMS

if TYPE_CHECKING:
    from functions.aws.hyperpod import Cluster
    from functions.core.findings import Finding
    from functions.core.ledger.models import JsonObject
    from functions.kubernetes_api.nodes import Node

_POLL_SECONDS: Final = 15
# What was there a moment ago and is not gets this long to come right: a node reboots, an add-on finds its node.
_PATIENCE: Final = timedelta(minutes=20)
_WHAT_HELPS: Final = "What helps is said with the findings of the operation's result."


class Missing(StageFailed):
    """What an earlier stage made is not as it was: it may come right, other than a call that is refused."""


class Verify:
    """Reads back what the operation's stages made."""

    def apply(self, _: StageContext) -> Applied:
        """Make nothing."""
        return Applied("reading everything back")

    def observe(self, context: StageContext) -> Observation:
        """Done with the summary and its findings; what does not come right within minutes fails the operation."""
        try:
            return _done(_summary(context), findings(context))
        except Missing as missing:
            begun = context.stage.started_at or runtime.now()
            if runtime.now() - begun >= _PATIENCE:
                raise
            return Waiting(_POLL_SECONDS, missing.detail)


def _done(summary: JsonObject, found: list[Finding]) -> Done:
    if not found:
        return Done(summary, "everything is there")
    told: JsonObject = {"findings": [each.model_dump(mode="json", exclude_none=True) for each in found]}
    noted = " ".join(each.message for each in found)
    return Done(summary | told, f"everything is there, with a {found[0].level}: {noted} {_WHAT_HELPS}")


def _summary(context: StageContext) -> JsonObject:
    made = {stage.name.partition(":")[0] for stage in context.operation.stages}
    summary: JsonObject = {"eks_cluster": _eks(context)}
    if made & {"hyperpod_nodes", "node_images"} and not _has_none(context):
        found = _hyperpod(context)
        members = _nodes(context, found)
        summary |= _compute(found, members)
        if members:
            summary["addons"] = _addons(context)
    # A repair passes over a mount that has not drifted, and then knows nothing of it.
    if mount := context.result_of("mount"):
        summary["storage"] = _storage(context, mount)
    return summary


def _has_none(context: StageContext) -> bool:
    """Say whether an upgrade that might have met a HyperPod cluster found that there is none."""
    return context.result_of("node_images").get("hyperpod_cluster") == ABSENT


def _eks(context: StageContext) -> JsonObject:
    name = context.cluster.names.eks_cluster
    found = eks.describe_cluster(name)
    if found is None or found.status != "ACTIVE":
        raise _gone(f"EKS cluster {name}", found.status if found else "absent", Layer.AWS)
    return {"name": name, "arn": found.arn, "version": found.version, "status": found.status}


def _addons(context: StageContext) -> JsonObject:
    """Look at the add-ons again: with nodes to run on, none has an excuse any more.

    Those that others installed on an imported cluster are theirs.
    """
    cluster, imported = context.cluster.names.eks_cluster, context.cluster.origin == "imported"
    statuses: JsonObject = {}
    for name in addons.names(cluster):
        found = addons.describe(cluster, name)
        if imported and found and found.tags.get("instantstart:managed-by") != MANAGER:
            continue
        status = found.status if found else "absent"
        if found is None or status != "ACTIVE":
            issues = "; ".join(found.issues.values()) if found else ""
            raise _gone(f"Add-on {name}", f"{status} ({issues})" if issues else status, Layer.AWS)
        statuses[name] = status
    return statuses


def _hyperpod(context: StageContext) -> Cluster:
    name = context.cluster.names.hyperpod_cluster
    found = hyperpod.describe(name)
    if found is None or found.status != "InService":
        raise _gone(f"HyperPod cluster {name}", found.status if found else "absent", Layer.HYPERPOD)
    return found


def _nodes(context: StageContext, found: Cluster) -> list[Node]:
    """Look at the nodes of all groups; a cluster whose groups are all scaled to nothing has none to miss."""
    members = nodes.hyperpod_nodes(connection.connect(context.cluster.names.eks_cluster, eks.api_server_of))
    if unusable := [node for node in members if not (node.ready and node.schedulable)]:
        raise _gone("Nodes", f"not usable: {_named(unusable)}", Layer.KUBERNETES)
    if not members and any(group.current or group.target for group in found.groups):
        raise _gone("Nodes", "absent", Layer.KUBERNETES)
    return members


def _compute(found: Cluster, members: list[Node]) -> JsonObject:
    return {
        "hyperpod_cluster": {"name": found.name, "arn": found.arn, "status": found.status},
        "nodes": [_group(group, members) for group in found.groups],
        "node_status": "Ready / Schedulable" if members else "none",
    }


def _named(members: list[Node]) -> str:
    return ", ".join(node.name for node in members[:5]) + (", ..." if len(members) > 5 else "")


def _group(group: hyperpod.Group, members: list[Node]) -> JsonObject:
    ready = sum(1 for node in members if node.group == group.name)
    return {
        "instance_group": group.name,
        "instance_type": group.instance_type,
        "capacity_type": group.capacity_type,
        "count": group.current,
        "ready": ready,
    }


def _storage(context: StageContext, mount: JsonObject) -> JsonObject:
    claim, namespace = str(mount["claim"]), str(mount["namespace"])
    client = connection.connect(context.cluster.names.eks_cluster, eks.api_server_of)
    found = objects.get(client, PERSISTENT_VOLUME_CLAIMS, claim, namespace)
    phase = member(found or {}, "status").get("phase")
    if phase != "Bound":
        raise _gone(f"Claim {namespace}/{claim}", str(phase or "absent"), Layer.KUBERNETES)
    seen = {"bucket": mount["bucket"], "status": phase, "probed": mount.get("probed", False)}
    return {"claim": claim, "namespace": namespace, **seen}


def _gone(what: str, state: str, layer: Layer) -> Missing:
    return Missing(
        f"{what}: {state}, although an earlier stage made it.",
        cause=Cause(layer=layer, resource=what),
        remedy="Find out who changes the cluster, then retry the operation.",
    )


STAGES: Behaviours = {"verify": Verify()}
