"""Decisions about a cluster's detection and repair: which stages look, which mend, and what a preview says of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from functions.clusters.drift.rules import stack
from functions.clusters.importing.rules.planning import redetect_stages
from functions.clusters.models import ConfigureDependencies
from functions.clusters.rules import CONFIGURE_DEPENDENCIES, plan
from functions.core.drifts import Drift, Unknown
from functions.core.phases import CONDITIONS, VERIFY
from functions.network.subnets.rules.needs import stages_for

if TYPE_CHECKING:
    from functions.clusters.drift.models import DriftReport
    from functions.clusters.models import Condition
    from functions.core.cluster import ClusterSpec

DETECT: Final = "detect_drift"
REPAIR: Final = "repair_cluster"
DRIFT: Final = "drift"
REPORT: Final = "drift_report"
HYPERPOD: Final = "hyperpod_cluster"
SCRIPTS: Final = "lifecycle_scripts"
NODES: Final = "hyperpod_nodes"
# The kind of stage that looks at what a kind of stage has made; some look at what several have made.
LOOKS_AT: Final = {
    stack.STAGE: "foundation_drift",
    "access_entry": "access_entry_drift",
    "cluster_role": "cluster_role_drift",
    "helm_release": "helm_release_drift",
    "addon": "addon_drift",
    "identity_chain": "identity_chain_drift",
    "compute_subnet": "compute_subnet_drift",
    SCRIPTS: "hyperpod_drift",
    HYPERPOD: "hyperpod_drift",
    "mount": "mount_drift",
}
# What these look at stands in the cluster's desired state, however many there are.
_BY_SPEC: Final = frozenset({"foundation_drift", "compute_subnet_drift", "hyperpod_drift", "mount_drift"})


def made(
    spec: ClusterSpec, conditions: Iterable[Condition], recorded: Mapping[str, Sequence[str]]
) -> list[tuple[str, str]]:
    """List the stages that have made a cluster, each with its phase; what was taken away again is none of it.

    The conditions of an imported cluster say what was found and not who made it: of such a one the `recorded` stages
    by phase made something, and nothing else did.
    """
    return _recorded(spec, recorded) if spec.origin == "imported" else _stood(spec, conditions)


def _recorded(spec: ClusterSpec, recorded: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """List what a repair can mend of what was recorded, as the phases of a creation have it.

    Of a HyperPod cluster the record says that it is ours, and the desired state what it consists of: a subnet that the
    caller gave is on no record, and that of an attempt in another zone may be. The script and the nodes of one that is
    not ours are nothing by themselves.
    """
    inside, capacity = recorded.get("dependencies", ()), recorded.get("hyperpod", ())
    subnets = [name for name in capacity if name.startswith("compute_subnet:")]
    return [
        *((phase, name) for phase, name in _dependencies() if name in inside),
        *(_hyperpod(spec) if HYPERPOD in capacity else (("hyperpod", name) for name in subnets)),
        *(("storage", name) for name in recorded.get("storage", ())),
    ]


def _hyperpod(spec: ClusterSpec) -> list[tuple[str, str]]:
    if not spec.instance_groups:
        return []
    subnets = stages_for(spec.instance_groups, spec.availability_zone)
    return [("hyperpod", name) for name in (*subnets, SCRIPTS, HYPERPOD, NODES)]


def _dependencies() -> list[tuple[str, str]]:
    every = plan(CONFIGURE_DEPENDENCIES, ConfigureDependencies())
    return [(phase, name) for phase, name in every if phase == "dependencies"]


def _stood(spec: ClusterSpec, conditions: Iterable[Condition]) -> list[tuple[str, str]]:
    stood = {
        each.type for each in conditions if not (each.status == "False" and (each.reason or "").startswith("Remov"))
    }
    if CONDITIONS["foundation"] not in stood:
        # What stands in a cluster goes with it, though nobody may have looked into it when it went.
        return []
    stages: list[tuple[str, str]] = [("foundation", stack.STAGE)]
    if CONDITIONS["dependencies"] in stood:
        stages += _dependencies()
    if CONDITIONS["hyperpod"] in stood:
        stages += _hyperpod(spec)
    if CONDITIONS["storage"] in stood:
        stages += [("storage", f"mount:{_place(each.namespace, each.name)}") for each in spec.mounts]
    return stages


def _place(namespace: str, name: str) -> str:
    return name if namespace == "default" else f"{namespace}/{name}"


def looks(made_by: Iterable[tuple[str, str]], phase: str = DRIFT) -> list[tuple[str, str]]:
    """List the stages that look at what stages have made, and the report of them."""
    parameters: dict[str, list[str]] = {}
    for _, name in made_by:
        kind, _, parameter = name.partition(":")
        if kind in LOOKS_AT:
            listed = parameters.setdefault(LOOKS_AT[kind], [])
            listed += [parameter] if parameter and LOOKS_AT[kind] not in _BY_SPEC else []
    names = [f"{kind}:{','.join(listed)}" if listed else kind for kind, listed in parameters.items()]
    return [(phase, name) for name in (*names, REPORT)]


def needed(found: Iterable[Drift | Unknown], made_by: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """List the stages, of those that made a cluster, that a repair of what was found consists of.

    A stack that is brought back loses the route tables that compute subnets have added to its endpoint, so these are
    looked after; and a HyperPod cluster is mended with what its subnets and scripts are.
    """
    named = {stage for each in found for stage in _repairing(each)}
    kinds = {name.partition(":")[0] for name in named}
    if stack.STAGE in kinds or HYPERPOD in kinds:
        named |= {name for _, name in made_by if name.startswith("compute_subnet:")}
    if HYPERPOD in kinds:
        named |= {SCRIPTS, NODES}
    return [(phase, name) for phase, name in made_by if name in named]


def _repairing(found: Drift | Unknown) -> list[str]:
    if isinstance(found, Unknown):
        return found.repaired_by
    return [found.repaired_by] if found.repaired_by else []


@dataclass(frozen=True)
class RepairPlan:
    """The stages of a repair; `detects` when it begins with a detection, as none is known that is recent enough."""

    stages: list[tuple[str, str]] = field(default_factory=list)
    detects: bool = False

    def mends(self, found: Drift) -> bool:
        """Say whether one of the stages mends something that a detection found."""
        return any(name == found.repaired_by for phase, name in self.stages if phase in CONDITIONS)


def repair(report: DriftReport | None, made_by: Sequence[tuple[str, str]], *, imported: bool = False) -> RepairPlan:
    """Plan a repair: by the last detection, or with one of its own first; and look again at its end.

    What a repair brings back says little of an imported cluster as a whole, so all of that one is looked at again.
    """
    found_anew = [(VERIFY, name) for _, name in redetect_stages()] if imported else []
    last = [(VERIFY, VERIFY), *found_anew, *looks(made_by, VERIFY)]
    if report is None:
        every = [(phase, name) for phase, name in made_by]
        return RepairPlan([*looks(made_by), *every, *last], detects=True)
    return RepairPlan([*needed([*report.drifts, *report.unknown], made_by), *last])


def superfluous(found: Iterable[Drift | Unknown], pending: Iterable[tuple[str, str]]) -> list[str]:
    """Name the pending stages of a repair that mend nothing of what its own detection found."""
    mending = [(phase, name) for phase, name in pending if phase in CONDITIONS]
    kept = set(needed(found, mending))
    return [name for phase, name in mending if (phase, name) not in kept]


def sentence(drifts: Sequence[Drift], unknown: Sequence[Unknown]) -> tuple[str, str, str]:
    """Say in one word whether a cluster is as it was made, why, and what differs: status, reason, message."""
    if drifts:
        resources = {(each.kind, each.resource) for each in drifts}
        first = drifts[0]
        named = f"{first.property} of {first.resource}" if first.property else first.resource
        more = f", and {len(resources) - 1} more" if len(resources) > 1 else ""
        count = f"{len(resources)} resource{'s differ' if len(resources) > 1 else ' differs'}"
        return "False", "Drifted", f"{count}: {named} is {first.actual}, not {first.expected}{more}"
    if unknown:
        return "Unknown", "NotLookedAt", f"{len(unknown)} not seen: {unknown[0].resource}: {unknown[0].why}"
    return "True", "InSync", "everything is as it was made"


def by_stage(found: Iterable[Drift]) -> Mapping[str, list[Drift]]:
    """Group what a repair mends by the stage that does it."""
    grouped: dict[str, list[Drift]] = {}
    for each in found:
        if each.repaired_by:
            grouped.setdefault(each.repaired_by, []).append(each)
    return grouped
