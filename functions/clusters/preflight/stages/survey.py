"""One look at a request: facts gathered, zones settled, everything found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from functions.clusters.preflight.rules import needed, settle
from functions.clusters.preflight.stages.facts import gather

if TYPE_CHECKING:
    from functions.clusters.models import CreateCluster, HyperPod
    from functions.clusters.preflight.models import Target
    from functions.clusters.preflight.stages.gathering import Gathering
    from functions.core.findings import Finding


@dataclass(frozen=True)
class Seen:
    """What a look came to, errors first; `unanswered` are the checks that may come to an end when made again."""

    findings: list[Finding]
    unanswered: frozenset[str] = frozenset()


def survey(request: CreateCluster | HyperPod, target: Target, look: Gathering) -> Seen:
    """Look at a request; its zones are written by their names, and groups with a training plan get its zone."""
    facts = gather(needed(request, target), target, look)
    return Seen(settle(request, facts, target), facts.unanswered)
