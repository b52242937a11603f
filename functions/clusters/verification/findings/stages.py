"""Looking for what is worth a warning in a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.aws import eks
from functions.clusters.verification.findings.rules import efa_finding, efa_plugins, not_looked_at, selector_of
from functions.core.documents import member
from functions.core.errors import StageFailed
from functions.kubernetes_api import connection, nodes, objects
from functions.kubernetes_api.objects import DAEMON_SETS, PODS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from functions.core.findings import Finding
    from functions.core.stage import StageContext
    from functions.kubernetes_api.connection import ClusterClient

# Stages after which the control plane may look into the cluster.
_LET_IN: Final = frozenset({"cluster_role", "hyperpod_nodes", "mount"})


def findings(context: StageContext) -> list[Finding]:
    """List what is worth a warning; that it could not be looked for is one."""
    if _LET_IN.isdisjoint(stage.name.partition(":")[0] for stage in context.operation.stages):
        return []
    client = connection.connect(context.cluster.names.eks_cluster, eks.api_server_of)
    try:
        return list(_of_efa_plugins(client, context.cluster.tag))
    except StageFailed as refused:
        return [not_looked_at(refused.detail)]


def _of_efa_plugins(client: ClusterClient, tag: str) -> Iterator[Finding]:
    plugins = efa_plugins(objects.listed(client, DAEMON_SETS))
    types = {node.name: node.instance_type for node in nodes.hyperpod_nodes(client)} if plugins else {}
    for plugin in plugins:
        namespace = str(member(plugin, "metadata")["namespace"])
        pods = objects.listed(client, PODS, selector_of(plugin), namespace)
        if finding := efa_finding(plugin, pods, types, tag):
            yield finding
