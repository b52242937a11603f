"""The stages of a deletion, in the order in which what was made goes: users first, what they stand on last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from functions.clusters.rules import FEATURES, RELEASES
from functions.identity.chains.models import CHAINS

if TYPE_CHECKING:
    from functions.clusters.deletion.models import Deletion

DELETE_CLUSTER: Final = "delete_cluster"
DELETE_HYPERPOD: Final = "delete_hyperpod"
SCOPES: Final = {DELETE_CLUSTER: ["cluster"], DELETE_HYPERPOD: ["hyperpod"]}
VERIFY: Final = "verify"

_WORKLOADS: Final = "workloads_removal"
_HYPERPOD: Final = "hyperpod_removal"
_DEPENDENCIES: Final = "dependencies_removal"
_NETWORK: Final = "network_removal"
_FOUNDATION: Final = "foundation_removal"
_ACCESS: Final = "access_removal"


@dataclass(frozen=True)
class Removal:
    """A stage of a deletion: `in_kubernetes` says that it needs the cluster's API server."""

    phase: str
    name: str
    in_kubernetes: bool = False


# What later domains put into a cluster goes in these places: operators and the objects that they serve, then what
# scales nodes, which would bring back the ones that HyperPod takes away.
OPERATORS: Final[tuple[Removal, ...]] = ()
AUTOSCALING: Final[tuple[Removal, ...]] = ()

ADDONS: Final = tuple(name.removeprefix("addon:") for name in FEATURES if name.startswith("addon:"))
_HYPERPOD_CLUSTER: Final = Removal(_HYPERPOD, "hyperpod_removal")
_COMPUTE_SUBNETS: Final = Removal(_NETWORK, "compute_subnets_removal")
_ABSENCE: Final = Removal(VERIFY, "absence")


def plan(kind: str, deletion: Deletion, *, imported: bool) -> list[tuple[str, str]]:
    """List the stages of a deletion, each with its phase; an imported cluster loses only what we made."""
    removals = _of_hyperpod() if kind == DELETE_HYPERPOD else _of_cluster(deletion, imported=imported)
    return [(each.phase, each.name) for each in removals if not (each.in_kubernetes and deletion.skip_workloads)]


def _leaving() -> list[Removal]:
    """Take back what let us into a cluster that stays: last, since a deletion that was stopped has to get in again."""
    return [
        Removal(_ACCESS, "own_objects_removal:rights", in_kubernetes=True),
        Removal(_ACCESS, "leave_cluster"),
    ]


def _of_hyperpod() -> list[Removal]:
    return [*AUTOSCALING, _HYPERPOD_CLUSTER, _COMPUTE_SUBNETS, _ABSENCE]


def _of_cluster(deletion: Deletion, *, imported: bool) -> list[Removal]:
    workloads = [
        *([] if imported else [Removal(_WORKLOADS, "load_balancers_removal", in_kubernetes=True)]),
        Removal(_WORKLOADS, "own_objects_removal:workloads", in_kubernetes=True),
    ]
    # Who gives parts of the stack up has been told what others made there.
    clearance = [] if imported or deletion.retain_resources else [Removal(_NETWORK, "vpc_clearance")]
    foundation = [
        *clearance,
        *([] if imported else [Removal(_FOUNDATION, "foundation_removal")]),
        *([Removal(_FOUNDATION, "bucket_removal")] if deletion.delete_bucket and not imported else []),
    ]
    return [
        *workloads,
        *OPERATORS,
        *AUTOSCALING,
        _HYPERPOD_CLUSTER,
        # The drivers before the roles that they use.
        Removal(_DEPENDENCIES, "addons_removal"),
        *(Removal(_DEPENDENCIES, f"identity_chain_removal:{chain}") for chain in reversed(CHAINS)),
        *(Removal(_DEPENDENCIES, f"helm_release_removal:{release}", in_kubernetes=True) for release in RELEASES),
        _COMPUTE_SUBNETS,
        *foundation,
        # The rest of a cluster's objects goes with it; an imported one stays.
        *(_leaving() if imported else []),
        _ABSENCE,
    ]
