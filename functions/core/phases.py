"""The pipelines: which kinds of operation there are, their phases in order, and what a phase makes true of a cluster.

`infra/pipelines.py` writes each pipeline's state machine from here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from functions.core.declaration import Scope

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Effect:
    """The condition of the cluster that a phase decides, and what it is when all stages of the phase stand.

    Where `kinds` are given, only stages of these kinds decide it.
    """

    condition: str
    makes: Literal["True", "False"] = "True"
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True)
class Unmaking:
    """What a stage takes away of what a phase has made: what the stages named in `stages` made, all without any.

    `stages` are names or kinds of stages; `{}` in one stands for the parameter of the stage that takes away.
    """

    phase: str
    stages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Pipeline:
    """One kind of operation; `comment` says what it is for, `scope` what a caller needs to begin, retry or cancel it.

    One that `forgets` leaves no cluster behind: its last transaction removes the cluster's records. One that `mends`
    takes no condition from the cluster when it fails: what stood before it still stands. One that is `confirmed` may
    take away what people have: a preview of it is confirmed, so it is retried only while nothing newer was begun.
    One that `looks` changes nothing but what is known, so another look is another operation. `makes` names phases that
    decide no condition, each with the phase whose stages its own are: what one of them makes counts as made in the
    other.
    """

    kind: str
    comment: str
    phases: tuple[str, ...]
    forgets: bool = False
    scope: Scope = Scope.OPERATE
    mends: bool = False
    confirmed: bool = False
    looks: bool = False
    makes: Mapping[str, str] = field(default_factory=dict)


PREFLIGHT: Final = "preflight"
_ACCESS: Final = "access"
VERIFY: Final = "verify"

# Each phase that leaves something standing, with the condition of the cluster that says so.
CONDITIONS: Final = {
    "foundation": "FoundationReady",
    "dependencies": "DependenciesReady",
    "hyperpod": "HyperPodReady",
    "storage": "StorageReady",
}
EFFECTS: Final = {
    **{phase: Effect(condition) for phase, condition in CONDITIONS.items()},
    # Load balancers, which go in this phase too, are no part of the storage.
    "workloads_removal": Effect("StorageReady", "False", ("own_objects_removal",)),
    "hyperpod_removal": Effect("HyperPodReady", "False"),
    "dependencies_removal": Effect("DependenciesReady", "False"),
    "foundation_removal": Effect("FoundationReady", "False"),
}
# Each stage, by its name or its kind, that takes away what another has made.
UNMAKINGS: Final = {
    "own_objects_removal:workloads": Unmaking("storage"),
    "hyperpod_removal": Unmaking("hyperpod"),
    "addons_removal": Unmaking("dependencies", ("addon",)),
    "identity_chain_removal": Unmaking("dependencies", ("identity_chain:{}",)),
    "helm_release_removal": Unmaking("dependencies", ("helm_release:{}",)),
    "foundation_removal": Unmaking("foundation"),
    "own_objects_removal:rights": Unmaking("dependencies", ("cluster_role",)),
    "cluster_role_removal": Unmaking("dependencies", ("cluster_role:{}",)),
    "leave_cluster": Unmaking("dependencies", ("access_entry",)),
}

PIPELINES: Final = (
    Pipeline(
        "create_cluster",
        "Create a cluster: foundation, dependencies, HyperPod cluster, storage.",
        (PREFLIGHT, "foundation", "dependencies", "hyperpod", "storage", VERIFY),
    ),
    Pipeline(
        "create_foundation",
        "Create the foundation alone: network, EKS control plane, roles and bucket.",
        (PREFLIGHT, "foundation", VERIFY),
    ),
    Pipeline("configure_dependencies", "Install the dependencies of a cluster.", ("dependencies", VERIFY)),
    Pipeline(
        "create_hyperpod",
        "Create the HyperPod cluster of a foundation that stands.",
        (PREFLIGHT, "hyperpod", VERIFY),
    ),
    Pipeline("create_storage", "Mount storage into the cluster.", ("storage", VERIFY)),
    Pipeline(
        "delete_cluster",
        "Delete a cluster: workloads, HyperPod cluster, dependencies, network, foundation, access; then forget it.",
        (
            "workloads_removal",
            "hyperpod_removal",
            "dependencies_removal",
            "network_removal",
            "foundation_removal",
            "access_removal",
            VERIFY,
        ),
        forgets=True,
        scope=Scope.ADMIN,
        confirmed=True,
    ),
    Pipeline(
        "delete_hyperpod",
        "Delete the HyperPod cluster of a cluster and keep the rest.",
        ("workloads_removal", "hyperpod_removal", "network_removal", VERIFY),
        scope=Scope.ADMIN,
        confirmed=True,
    ),
    Pipeline(
        "import_cluster",
        "Take in an EKS cluster that exists, with its HyperPod cluster if it has one.",
        ("detection", _ACCESS, VERIFY),
        makes={_ACCESS: "dependencies"},
    ),
    Pipeline(
        "redetect_cluster", "Look again at what an imported cluster consists of.", ("detection", VERIFY), looks=True
    ),
    Pipeline(
        "forget_cluster",
        "Forget a cluster and leave it as it is.",
        ("access_removal",),
        forgets=True,
    ),
    Pipeline("detect_drift", "Compare a cluster with what was made of it.", ("drift",), looks=True),
    Pipeline(
        "repair_cluster",
        "Bring back what drifted from what was made.",
        ("drift", "foundation", "dependencies", "hyperpod", "storage", VERIFY),
        mends=True,
        confirmed=True,
    ),
    Pipeline(
        "upgrade_cluster",
        "Move a cluster to another Kubernetes version: control plane, add-ons, nodes.",
        (PREFLIGHT, "control_plane", "addons", "nodes", VERIFY),
        confirmed=True,
    ),
    Pipeline(
        "change_access",
        "Let people into a cluster, or take that back.",
        (_ACCESS,),
        scope=Scope.ADMIN,
        confirmed=True,
    ),
    Pipeline("create_namespace", "Make a namespace of a cluster.", ("namespaces",)),
    Pipeline(
        "update_cluster",
        "Change what a cluster's records say of it: its owner groups and company tags.",
        ("settings",),
    ),
)
BY_KIND: Final = {pipeline.kind: pipeline for pipeline in PIPELINES}
CONFIRMED: Final = frozenset(pipeline.kind for pipeline in PIPELINES if pipeline.confirmed)
LOOKING: Final = frozenset(pipeline.kind for pipeline in PIPELINES if pipeline.looks)
MENDING: Final = frozenset(pipeline.kind for pipeline in PIPELINES if pipeline.mends)
PHASES: Final = tuple(dict.fromkeys(phase for pipeline in PIPELINES for phase in pipeline.phases))
