"""One look at a cluster in AWS, in three rounds of calls at once: its parts, what these consist of, what that names.

How many calls there are depends on neither instances, events nor other clusters; of what there can be many (plans,
scripts, roles, add-ons) the first few are looked at.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from functions.aws import cloudformation, eks_survey, hyperpod_survey
from functions.core import runtime, settings
from functions.core.redaction import redacted
from functions.diagnostics.models.answers import Area
from functions.diagnostics.models.facts import Facts, GroupSeen, HyperPodSeen, Seen, StackSeen
from functions.diagnostics.routes import parts
from functions.diagnostics.routes.asking import seen
from functions.diagnostics.rules.areas import any_of
from functions.diagnostics.rules.foundation import is_broken
from functions.identity.rules import ACCESS

if TYPE_CHECKING:
    from collections.abc import Collection

    from functions.aws.hyperpod_survey import GroupFound
    from functions.core.cluster import ClusterSpec
    from functions.core.gathering import Gathering
    from functions.diagnostics.models.facts import LedgerSeen

_IN_HYPERPOD = (Area.HYPERPOD, Area.NETWORK, Area.LIFECYCLE, Area.CAPACITY, Area.NODES, Area.ACCESS, Area.ADDONS)
_IN_EKS = (Area.CONTROL_PLANE, Area.ACCESS, Area.ADDONS, Area.NETWORK, Area.HYPERPOD)


def look(spec: ClusterSpec, recorded: LedgerSeen, areas: Collection[Area], around: Gathering) -> Facts:
    """Gather what the wanted areas are judged by."""
    known = Facts(
        spec=spec,
        at=runtime.now(),
        ledger=recorded,
        egress=tuple(settings.fixed_egress_addresses()),
        roles={name: settings.required(access.role) for name, access in ACCESS.items() if Area.ACCESS in areas},
    )
    whole = _parts_of(known, areas, around)
    return parts.named_by(parts.within(whole, areas, around), areas, around)


def _parts_of(known: Facts, areas: Collection[Area], around: Gathering) -> Facts:
    """Look at the stack, the EKS cluster and the HyperPod cluster."""
    names = known.spec.names
    founded = any_of(areas, Area.FOUNDATION, Area.NETWORK, Area.ACCESS) and names.stack is not None
    stack = around.ask("foundation_stack", lambda: _stack(names.stack or ""), wanted=founded)
    eks = around.ask("eks_cluster", lambda: eks_survey.examine(names.eks_cluster), wanted=any_of(areas, *_IN_EKS))
    hyperpod = around.ask(
        "hyperpod_cluster", lambda: _hyperpod(names.hyperpod_cluster), wanted=any_of(areas, *_IN_HYPERPOD)
    )
    around.make()
    return replace(
        known, stack=_with_failure(seen(stack), names.stack or "", around), eks=seen(eks), hyperpod=seen(hyperpod)
    )


def _stack(name: str) -> StackSeen | None:
    found = cloudformation.describe(name)
    return StackSeen(found.stack_id, found.status, found.outputs) if found else None


def _with_failure(stack: Seen[StackSeen], name: str, around: Gathering) -> Seen[StackSeen]:
    """Read why a stack failed; its events are read only then."""
    found = stack.value
    if found is None or not is_broken(found.status):
        return stack
    why = around.ask("stack_events", lambda: cloudformation.last_failure_of(found.stack_id, name).body())
    around.make()
    return Seen(replace(found, failure=seen(why)))


def _hyperpod(name: str) -> HyperPodSeen | None:
    found = hyperpod_survey.describe(name)
    if found is None:
        return None
    return HyperPodSeen(
        name=found.name,
        arn=found.arn,
        status=found.status,
        failure=redacted(found.failure),
        eks_arn=found.eks_arn,
        continuous=found.continuous,
        groups=tuple(map(_group, found.groups)),
    )


def _group(found: GroupFound) -> GroupSeen:
    return GroupSeen(
        desired=found.desired,
        current=found.current,
        status=found.status,
        execution_role_arn=found.execution_role_arn,
        security_group_ids=found.security_group_ids,
        subnet_ids=found.subnet_ids,
    )
