"""HyperPod's instances as the Kubernetes simulator takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infra.local.kubernetes.api import git_version
from infra.local.kubernetes.hyperpod_nodes import NodeFact, Taint

if TYPE_CHECKING:
    from infra.local.simulators.hyperpod.facts import NodeFacts


def as_kubernetes_sees(node: NodeFacts, networked: bool) -> NodeFact:
    """Translate an instance; without a network none of them becomes Ready."""
    return NodeFact(
        instance_id=node.instance_id,
        instance_group=node.instance_group,
        instance_type=node.instance_type,
        zone=node.zone,
        cluster_name=node.cluster_name,
        ready=networked,
        reason="",
        private_ip=node.private_ip,
        cpu=node.vcpus,
        memory_mib=node.memory_mib,
        accelerator_resource=node.accelerator_resource,
        accelerator_count=node.accelerator_count,
        efa_count=node.efa_count,
        max_pods=node.max_pods,
        labels=node.labels,
        taints=tuple(Taint(taint["Key"], taint.get("Value", ""), taint["Effect"]) for taint in node.taints),
        created_at=node.created_at,
        reachable=node.reachable,
        health=node.health,
        former_labels=node.former_labels,
        version=git_version(node.kubernetes_version),
    )
