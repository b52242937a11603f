"""What a cluster's services leave behind in a network: whose it is, and how long its deletion is tried.

Every stage that clears a network does it here. What is held is told in the stage's message with the moment until which
it is tried, so that the next turn knows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from functions.aws import eks, network_interfaces, vpcs
from functions.clusters.deletion.models import Owner
from functions.clusters.deletion.rules.blockers import given_groups
from functions.core import runtime
from functions.core.errors import Busy, Cause, Layer
from functions.core.stage import Applied, Reapply
from functions.core.tags import marked

if TYPE_CHECKING:
    from collections.abc import Iterable

    from functions.clusters.deletion.models import VpcContents
    from functions.core.stage import StageContext

_PATIENCE: Final = timedelta(minutes=15)
_TRIED_UNTIL: Final = "in use, and tried until "
_DEADLINE: Final = re.compile(rf"{_TRIED_UNTIL}(\S+): ")


def owner_of(context: StageContext) -> Owner:
    """Say for whom a network is cleared; an EKS cluster of the name may be another's by now."""
    cluster = context.cluster
    found = eks.describe_cluster(cluster.names.eks_cluster)
    return Owner(
        eks_cluster=cluster.names.eks_cluster,
        given=given_groups(cluster),
        stands=found is not None,
        foreign=found is not None and not marked(found.tags, cluster.tag),
    )


@dataclass(frozen=True)
class Cleared:
    """What became of leftovers, by their ids: gone, or `held` by something that uses them."""

    gone: tuple[str, ...]
    held: tuple[str, ...]


def clear(left: Iterable[VpcContents]) -> Cleared:
    """Delete interfaces, then the security groups that they were in."""
    tried: dict[str, bool] = {}
    for vpc in left:
        tried |= {each.interface_id: network_interfaces.delete(each.interface_id) for each in vpc.interfaces}
        tried |= {each.group_id: vpcs.delete_group(each.group_id) for each in vpc.groups}
    return Cleared(
        tuple(name for name, gone in tried.items() if gone), tuple(name for name, gone in tried.items() if not gone)
    )


def told(context: StageContext, cleared: Cleared, otherwise: str) -> Applied:
    """Say what was cleared, or until when what is held is tried. Raises Busy at every further try before that.

    EC2 holds a group for some seconds after its last interface has gone; a try that is refused says nothing yet.
    """
    if not cleared.held:
        return Applied(f"deleted {', '.join(cleared.gone)}" if cleared.gone else otherwise, cleared.gone)
    until, now = tried_until(context), runtime.now()
    said = f"{_TRIED_UNTIL}{(until or now + _PATIENCE).isoformat(timespec='seconds')}: {', '.join(cleared.held)}"
    if until is not None and now < until and not cleared.gone:
        cause = Cause(layer=Layer.AWS, service="ec2", code="DependencyViolation", resource=cleared.held[0])
        raise Busy(said, cause=cause, remedy="Remove what uses it, or wait until the deletion goes on without it.")
    return Applied(said, cleared.gone)


def tried_until(context: StageContext) -> datetime | None:
    """Give the moment until which leftovers that are held are tried; None before a first try has failed."""
    found = _DEADLINE.search(context.stage.message or "")
    return datetime.fromisoformat(found[1]) if found else None


def verdict(context: StageContext, left: VpcContents) -> Reapply | None:
    """Ask for another try of what is left behind; None when nothing is left or it has been tried for long enough."""
    ids, until = ids_of(left), tried_until(context)
    if not ids or (until is not None and runtime.now() >= until):
        return None
    named = ", ".join(ids)
    return Reapply(f"{_TRIED_UNTIL}{until.isoformat()}: {named}" if until else f"left behind: {named}")


def ids_of(left: VpcContents) -> list[str]:
    """Give the ids of interfaces and groups."""
    return [*(each.interface_id for each in left.interfaces), *(each.group_id for each in left.groups)]
