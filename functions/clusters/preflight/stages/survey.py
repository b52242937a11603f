"""One look at a request: facts gathered, zones settled, everything found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from functions.clusters.preflight.rules import needed, settle
from functions.clusters.preflight.stages.facts import gather

if TYPE_CHECKING:
    from functions.clusters.models import CreateCluster, HyperPod
    from functions.clusters.preflight.models import Leftovers, Target
    from functions.core.findings import Finding
    from functions.core.gathering import Gathering


@dataclass(frozen=True)
class Seen:
    """What a look came to, errors first; `unanswered` are the checks that may come to an end when made again.

    `read` says how what stands under the request's names was found: what becomes of it depends on that.
    """

    findings: list[Finding]
    unanswered: frozenset[str] = frozenset()
    read: Mapping[str, str] = field(default_factory=dict)


def survey(request: CreateCluster | HyperPod, target: Target, look: Gathering) -> Seen:
    """Look at a request; its zones are written by their names, and groups with a training plan get its zone."""
    facts = gather(needed(request, target), target, look)
    findings = [*settle(request, facts, target), *look.findings]
    return Seen(findings, look.unanswered, _read(facts.leftovers))


def _read(found: Leftovers | None) -> dict[str, str]:
    standing = {"stack": found.stack, "hyperpod_cluster": found.hyperpod} if found else {}
    return {name: each.status for name, each in standing.items() if each is not None}
