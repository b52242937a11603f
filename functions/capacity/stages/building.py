"""The HyperPod cluster to create, put together from what was asked for and what earlier stages made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.aws.foundations import foundation_of
from functions.aws.hyperpod_creation import NewCluster, NewGroup
from functions.catalog.rules import threads_per_core
from functions.core.tags import tags_of
from functions.network.subnets.rules.needs import subnet_of

if TYPE_CHECKING:
    from functions.core.cluster import DesiredGroup
    from functions.core.stage import StageContext

# The training operator's managed policy is conditioned on this tag (SageMaker developer guide, training operator).
_SERVICE_TAGS: Final = {"SageMaker": "true"}


def new_cluster(context: StageContext) -> NewCluster:
    """Put the request together. Raises the client's own errors."""
    cluster = context.cluster
    foundation = foundation_of(cluster)
    security_group = foundation.security_group_id
    return NewCluster(
        name=cluster.names.hyperpod_cluster,
        eks_arn=foundation.eks_arn,
        execution_role=foundation.required_role,
        subnet_id=subnet_of(context, cluster.instance_groups[0]),
        security_group_id=security_group,
        automatic_recovery=cluster.node_recovery != "none",
        groups=[_new_group(context, group, security_group) for group in cluster.instance_groups],
        tags=tags_of(cluster, context.operation.operation_id) | _SERVICE_TAGS,
    )


def _new_group(context: StageContext, group: DesiredGroup, security_group: str) -> NewGroup:
    scripts = context.result_of("lifecycle_scripts")
    return NewGroup(
        desired=group,
        threads_per_core=min(map(threads_per_core, group.types), default=1),
        subnet_id=subnet_of(context, group),
        security_group_ids=tuple(group.security_group_ids or [security_group]),
        lifecycle_uri=str(scripts["uri"]),
        lifecycle_script=str(scripts["script"]),
    )
