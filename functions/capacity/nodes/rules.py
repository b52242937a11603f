"""What is said of instances that are not yet nodes on which pods can run, and when that has to be somebody's doing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from functions.core.errors import Cause, Layer, StageFailed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

# An instance joins within minutes of running; after this long it is compared, after that long it is a fault.
JOINS_WITHIN: Final = timedelta(minutes=20)
STUCK_AFTER: Final = timedelta(minutes=60)
NOT_JOINED: Final = "NODE_NOT_JOINED"
_NAMED: Final = 5


@dataclass(frozen=True)
class Unready:
    """A node on which no pod can run yet: why, and since when its deep health check runs if that is it."""

    name: str
    reason: str
    in_check: bool
    created_at: datetime | None


def said_of(nodes: Sequence[Unready]) -> str:
    """Write what keeps nodes back: a deep health check with its start, else the first complaint."""
    checked = [node for node in nodes if node.in_check]
    if checked:
        return waiting_for_check(len(checked), min((n.created_at for n in checked if n.created_at), default=None))
    return next((f"{node.name}: {node.reason}" for node in nodes if node.reason), "")


def waiting_for_check(count: int, started: datetime | None) -> str:
    """Write that nodes are under deep health check, and since when."""
    since = f", started {started:%H:%M} UTC" if started else ""
    return f"waiting for deep health check of {count} {'node' if count == 1 else 'nodes'}{since}"


def named(instances: Sequence[str]) -> str:
    """Name the first few of many."""
    return ", ".join(instances[:_NAMED]) + (f" and {len(instances) - _NAMED} more" if len(instances) > _NAMED else "")


def not_joined(instances: Sequence[str], role: str, cluster: str) -> StageFailed:
    """Fail because instances run and never became nodes."""
    return StageFailed(
        f"{len(instances)} instances run in HyperPod and never became nodes of {cluster}: {named(instances)}.",
        cause=Cause(layer=Layer.HYPERPOD, service="sagemaker", code=NOT_JOINED, resource=instances[0]),
        remedy=f"Check that the cluster has the access entry of the role {role}, that the compute subnet reaches the "
        "cluster's endpoint, and what the lifecycle script's log says; replace the instances "
        "(aws sagemaker batch-replace-cluster-nodes), then retry the operation.",
        retryable=True,
    )
