"""The HyperPod cluster: its status, what its failure message means, and how far its instance groups are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.capacity.rules.shortfalls import PATIENCE, rolled_back
from functions.core.failures import recognise
from functions.diagnostics.models.answers import Name, Priority
from functions.diagnostics.rules.saying import cut, fact, failed, few, noted, passed, unchecked, warned

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from functions.core.cluster import DesiredGroup
    from functions.diagnostics.models.answers import Check
    from functions.diagnostics.models.facts import Facts, GroupSeen, HyperPodSeen

_CLUSTER, _GROUPS = Name.HYPERPOD_CLUSTER, Name.INSTANCE_GROUPS
_WORDS: Final = 300
_WELL: Final = frozenset({"InService"})
_BROKEN: Final = frozenset({"Failed", "RollingBack"})


def wanted(facts: Facts) -> list[DesiredGroup]:
    """Give the groups that are wanted: as HyperPod has been asked for them, and those it has not been asked for yet.

    HyperPod does not keep the zone that was asked for.
    """
    standing = [group.desired for group in facts.hyperpod.value.groups] if facts.hyperpod.value else []
    kept = {group.name: group for group in facts.spec.instance_groups}
    zones = {name: group.availability_zone for name, group in kept.items()}
    named = {group.name for group in standing}
    return [
        *(group.model_copy(update={"availability_zone": zones.get(group.name)}) for group in standing),
        *(group for name, group in kept.items() if name not in named),
    ]


def running(facts: Facts) -> dict[str, int]:
    """Count the instances of each group that HyperPod has."""
    return {group.desired.name: group.current for group in facts.hyperpod.value.groups} if facts.hyperpod.value else {}


def short(facts: Facts) -> list[DesiredGroup]:
    """Give the groups that lack instances."""
    have = running(facts)
    return [group for group in wanted(facts) if have.get(group.name, 0) < group.instance_count]


def check(facts: Facts) -> Iterator[Check]:
    """Judge the cluster, then its groups."""
    name = facts.spec.names.hyperpod_cluster
    if not facts.hyperpod.known:
        yield unchecked(_CLUSTER, facts.hyperpod, name)
        return
    found = facts.hyperpod.value
    if found is None:
        yield _absent(facts, name)
        return
    yield _foreign(facts, found) or _cluster(found)
    yield from _groups(facts, found)


def _absent(facts: Facts, name: str) -> Check:
    if facts.ledger.says("HyperPodReady"):
        remedy = f"POST /api/clusters/{facts.spec.tag}/hyperpod creates it anew; what ran on its instances is lost."
        return failed(_CLUSTER, Priority.P0, f"the HyperPod cluster {name} stood and is gone", remedy, name)
    if facts.spec.instance_groups:
        return noted(_CLUSTER, f"the HyperPod cluster {name} is not there yet", name)
    return noted(_CLUSTER, "nobody asked for a HyperPod cluster", name)


def _foreign(facts: Facts, found: HyperPodSeen) -> Check | None:
    """Say that the name belongs to a HyperPod cluster on another EKS cluster."""
    ours = facts.eks.value.found.arn if facts.eks.value else ""
    if not ours or not found.eks_arn or found.eks_arn == ours:
        return None
    message = f"a HyperPod cluster named {found.name} stands on another EKS cluster"
    remedy = "Delete that HyperPod cluster if nobody needs it, or create this cluster under another tag."
    return failed(_CLUSTER, Priority.P0, message, remedy, found.arn, [fact("eks_cluster", found.eks_arn)])


def _cluster(found: HyperPodSeen) -> Check:
    said = f"the HyperPod cluster {found.name} is {found.status}"
    if found.status in _WELL:
        return passed(_CLUSTER, said, found.arn)
    facts = [
        fact("status", found.status),
        fact("failure_message", found.failure),
        fact("continuous_provisioning", found.continuous),
    ]
    if found.status not in _BROKEN:
        return noted(_CLUSTER, said, found.arn, facts)
    known = recognise(found.failure)
    remedy = known.remedy if known else "Treat the events and logs below, then retry the operation that created it."
    message = f"{said}: {cut(found.failure, _WORDS) or 'HyperPod gives no reason'}"
    if found.status == "Failed":
        return failed(_CLUSTER, Priority.P0, message, remedy, found.arn, facts)
    return warned(_CLUSTER, Priority.P1, message, remedy, found.arn, facts)


def _groups(facts: Facts, found: HyperPodSeen) -> Iterator[Check]:
    targets = {group.desired.name: group.desired.instance_count for group in found.groups}
    if given_up := rolled_back(facts.spec.instance_groups, targets):
        message = f"HyperPod gave the group {given_up.name} up: its least count did not come within three hours"
        remedy = "Ask for a smaller least count, another zone, type or capacity; or retry the operation."
        yield failed(_GROUPS, Priority.P0, message, remedy, given_up.name, [fact("least", given_up.min_instance_count)])
    lacking = [group for group in found.groups if group.missing]
    if not lacking:
        yield passed(_GROUPS, f"all groups have their instances: {few(_counts(found.groups))}", found.arn)
        return
    message = f"{len(lacking)} of {len(found.groups)} groups lack instances: {few(_counts(lacking))}"
    seen = [fact(f"missing {group.desired.name}", group.missing) for group in lacking]
    if _stuck(facts):
        silence = f"{message}; HyperPod has been asked for more than an hour, and reports no failure"
        remedy = (
            "Wait for capacity, or ask AWS Support with the cluster's ARN: nothing in reach of the account explains it."
        )
        yield warned(_GROUPS, Priority.P1, silence, remedy, found.arn, seen)
        return
    if facts.ledger.busy or found.status in ("Creating", "Updating"):
        yield noted(_GROUPS, message, found.arn, seen)
        return
    remedy = (
        "The checks of events, quotas, training plans and subnets say why. Where none of them does, a launch that "
        "takes longer than an hour waits for capacity, or is for AWS Support."
    )
    yield failed(_GROUPS, Priority.P1, message, remedy, found.arn, seen)


def _stuck(facts: Facts) -> bool:
    """Say whether the newest operation waits for instances so long that HyperPod owes a reason, and gives none."""
    newest = facts.ledger.newest
    if newest is None or newest.started_at is None or newest.operation_id not in facts.ledger.busy:
        return False
    silent = facts.events.value is not None and not facts.events.value.events
    return silent and facts.at - newest.started_at > PATIENCE


def _counts(groups: Sequence[GroupSeen]) -> list[str]:
    return [f"{group.desired.name} {group.current}/{group.desired.instance_count}" for group in groups]
