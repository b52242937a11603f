"""What is told of nodes: that HyperPod found a fault on one."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from functions.notifications.models import Notice
from functions.notifications.rules import wording

if TYPE_CHECKING:
    from functions.core.observations import ClusterEvent

# HyperPod tells of a sick node again and again; the same words are news again after a day.
_SILENCE: Final = timedelta(days=1)


def fault(event: ClusterEvent, console: str | None) -> Notice | None:
    """Tell of a node that is not healthy; None for any other event."""
    if event.kind != "node_health" or event.level != "Error" or event.instance_id is None:
        return None
    what = f"node {event.instance_id} of cluster {event.cluster_tag} is faulty"
    return Notice(
        key=f"node#{event.cluster_tag}#{event.message}",
        subject=wording.subject(what),
        text=wording.text(
            f"{what}.",
            seen=event.message,
            cause=event.cause or "HyperPod gave none",
            at=wording.moment(event.at),
            event=event.event_id,
            remedy=_remedy(event),
            look=wording.cluster_link(console, event.cluster_tag),
        ),
        silence=_SILENCE,
    )


def _remedy(event: ClusterEvent) -> str:
    if "repair:" in event.message:
        return "HyperPod repairs the node by itself; jobs that resume by themselves go on afterwards."
    return "No repair was announced: reboot or replace the node, or turn on node recovery for the cluster."
