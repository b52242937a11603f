"""The end of compute subnets of ours, with their route tables and their places in S3 endpoints."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from functions.aws import network, network_interfaces, routing
from functions.clusters.deletion.rules.blockers import blocked, going, leftover_interfaces, still_there
from functions.clusters.deletion.rules.plan import DELETE_CLUSTER
from functions.core import runtime
from functions.core.stage import Applied, Done, Failed, Observation, Reapply, StageContext, Waiting
from functions.core.tags import stack_tags
from functions.network.subnets.rules.identity import KIND_TAG

if TYPE_CHECKING:
    from collections.abc import Mapping

    from functions.clusters.deletion.models import Interface
    from functions.network.subnets.models import RouteTable, Subnet

_POLL_SECONDS: Final = 15
# HyperPod takes its interfaces away some time after its cluster is gone.
_PATIENCE: Final = timedelta(minutes=15)


@dataclass(frozen=True)
class _Found:
    """What is to go, and what stands in the subnets among it."""

    subnets: tuple[Subnet, ...]
    tables: tuple[RouteTable, ...]
    interfaces: tuple[Interface, ...]


class ComputeSubnetsRemoval:
    """All compute subnets of a cluster; with HyperPod alone go those that no group keeps for a successor."""

    def apply(self, context: StageContext) -> Applied:
        """Delete what its services left in the subnets, then those that are empty, then their route tables."""
        found = _found(context)
        left = leftover_interfaces(found.interfaces, context.cluster.names.eks_cluster)
        for interface in left:
            network_interfaces.delete(interface.interface_id)
        used = {each.subnet_id for each in found.interfaces if each not in left}
        free = [each.subnet_id for each in found.subnets if each.subnet_id not in used]
        gone = [each.interface_id for each in left] + [each for each in free if network.delete_subnet(each)]
        gone += _delete_tables(context)
        return Applied(f"deleted {', '.join(gone)}" if gone else "nothing can be deleted yet", tuple(gone))

    def observe(self, context: StageContext) -> Observation:
        """Done when none is left; Blocked, or kept when only HyperPod goes, where others stand in one."""
        found, name = _found(context), context.cluster.names.eks_cluster
        if not found.subnets and not found.tables:
            return Done({}, "no compute subnet of ours is left that could go")
        used = [each for each in found.interfaces if each not in leftover_interfaces(found.interfaces, name)]
        if not used:
            return Reapply(f"still there: {_named(found)}")
        waits = going(used, name)
        if len(waits) == len(used) and runtime.now() - (context.stage.started_at or runtime.now()) < _PATIENCE:
            listed = ", ".join(each.interface_id for each in waits[:5])
            return Waiting(_POLL_SECONDS, f"waiting for {len(waits)} interfaces to go: {listed}")
        if context.operation.kind != DELETE_CLUSTER:
            return Done({}, f"kept, because others stand in them: {_named(found)}")
        return Failed(blocked("The compute subnets", still_there(used), context.cluster.tag))


def _named(found: _Found) -> str:
    return ", ".join([*(each.subnet_id for each in found.subnets), *(each.route_table_id for each in found.tables)])


def _found(context: StageContext) -> _Found:
    ours = stack_tags(context.cluster)
    subnets = [each for each in network.subnets_tagged(ours) if _goes(each.tags, context)]
    return _Found(
        tuple(subnets),
        tuple(_tables(context)),
        tuple(network_interfaces.of_subnets([each.subnet_id for each in subnets])),
    )


def _tables(context: StageContext) -> list[RouteTable]:
    return [each for each in routing.tables_tagged(stack_tags(context.cluster)) if _goes(each.tags, context)]


def _goes(tags: Mapping[str, str], context: StageContext) -> bool:
    """Say whether a subnet or table goes: a group's own subnet outlives the group, and goes with the cluster."""
    kind = tags.get(KIND_TAG)
    return kind is not None and (context.operation.kind == DELETE_CLUSTER or kind == "zone")


def _delete_tables(context: StageContext) -> list[str]:
    free = [each for each in _tables(context) if not each.associations]
    endpoints = {
        vpc_id: routing.s3_endpoints_of_vpc(vpc_id, context.cluster.region) for vpc_id in {each.vpc_id for each in free}
    }
    for table in free:
        for endpoint in endpoints[table.vpc_id]:
            if table.route_table_id in endpoint.route_table_ids:
                routing.serve_no_longer(endpoint.endpoint_id, table.route_table_id)
    return [each.route_table_id for each in free if routing.delete_table(each.route_table_id)]
