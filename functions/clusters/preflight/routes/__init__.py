"""The look at a request before anything is made for it, within the seconds that a caller waits."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from functions.clusters.preflight.stages.gathering import Gathering
from functions.clusters.preflight.stages.survey import Seen, survey
from functions.core.runtime import Patience

if TYPE_CHECKING:
    from functions.clusters.models import CreateCluster, HyperPod
    from functions.clusters.preflight.models import Target

__all__ = ["Seen", "look"]

# No call begins later. With the last one, the ledger and its resend an answer comes far before the gateway's 29 s.
_TIME: Final = timedelta(seconds=8)


def look(request: CreateCluster | HyperPod, target: Target) -> Seen:
    """Find everything that is wrong or good to know about a request; it raises nothing of that.

    Zones are written by their names, and groups with a training plan get its zone.
    """
    return survey(request, target, Gathering(Patience.EDGE, _TIME))
