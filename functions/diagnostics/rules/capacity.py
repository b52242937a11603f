"""Quotas and training plans, held against the instances that are wanted.

Of quotas only what the cluster alone asks for is judged: how much other clusters use takes a call for each of them.
"""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from functions.capacity.preflight.rules.plans import zone_of
from functions.capacity.preflight.rules.quotas import ALL_CLUSTERS, ALL_SPOT, PER_CLUSTER, quota_name
from functions.diagnostics.models.answers import Name, Priority
from functions.diagnostics.rules.hyperpod import short, wanted
from functions.diagnostics.rules.saying import fact, failed, few, noted, passed, unchecked, unread, warned

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from functions.capacity.preflight.models import Quota, TrainingPlan
    from functions.core.cluster import DesiredGroup
    from functions.diagnostics.models.answers import Check
    from functions.diagnostics.models.facts import Facts

_QUOTA, _PLAN = Name.QUOTA, Name.TRAINING_PLAN
_HYPERPOD: Final = "hyperpod-cluster"
# So long before the end of a plan HyperPod takes its instances back.
_CLOSING: Final = timedelta(hours=1)


def quotas_needed(facts: Facts) -> list[str]:
    """Name the quotas that the types of groups in want of instances count against."""
    named = (quota_name(kind, group.capacity_type) for group in short(facts) for kind in group.types)
    return list(dict.fromkeys(name for name in named if name))


def plans_of(facts: Facts) -> dict[str, list[DesiredGroup]]:
    """Say which groups run on which training plan."""
    found: dict[str, list[DesiredGroup]] = {}
    for group in wanted(facts):
        if group.training_plan_arn:
            found.setdefault(group.training_plan_arn, []).append(group)
    return found


def check(facts: Facts) -> Iterator[Check]:
    """Judge quotas, then plans."""
    yield from unread(_QUOTA, facts.hyperpod)
    yield from _quotas(facts)
    groups = plans_of(facts)
    for arn, seen in facts.plans.items():
        yield unchecked(_PLAN, seen, arn) if not seen.known else _plan(facts, arn, seen.value, groups.get(arn, []))


def _quotas(facts: Facts) -> Iterator[Check]:
    if not facts.quotas.asked:
        return
    if facts.quotas.value is None:
        yield unchecked(_QUOTA, facts.quotas)
        return
    exceeded = [(quota, asked) for quota, asked in _asked(facts, facts.quotas.value) if asked > quota.value]
    for quota, asked in exceeded:
        yield _exceeded(quota, asked)
    if not exceeded:
        message = "the quotas allow what this cluster alone asks for; what other clusters use counts as well"
        yield passed(_QUOTA, message, None, [fact("quotas", few(quotas_needed(facts)))])


def _asked(facts: Facts, quotas: Mapping[str, Quota]) -> list[tuple[Quota, int]]:
    """Count what the cluster asks of each quota; a group of several types counts where that is its only way."""
    counts = Counter[str]()
    for group in wanted(facts):
        names = [name for kind in group.types if (name := quota_name(kind, group.capacity_type))]
        spot = [ALL_SPOT] if group.capacity_type == "spot" else []
        for name in [*(names if len(names) == 1 else ()), PER_CLUSTER, ALL_CLUSTERS, *spot]:
            counts[name] += group.instance_count
    return [(quotas[name], count) for name, count in counts.items() if name in quotas]


def _exceeded(quota: Quota, asked: int) -> Check:
    message = f"the quota '{quota.name}' is {quota.value:g}, and this cluster alone asks for {asked}"
    remedy = (
        f"aws service-quotas request-service-quota-increase --service-code sagemaker --quota-code {quota.code} "
        f"--desired-value {asked} (it can take days), or ask for fewer instances or another type."
    )
    seen = [fact("quota", quota.name), fact("allowed", quota.value), fact("asked", asked)]
    return failed(_QUOTA, Priority.P0, message, remedy, quota.code, seen)


def _plan(facts: Facts, arn: str, plan: TrainingPlan | None, groups: list[DesiredGroup]) -> Check:
    names = few([group.name for group in groups])
    if plan is None:
        remedy = "Create the group anew with a plan of this account and region, or with other capacity."
        return failed(_PLAN, Priority.P0, f"the training plan of {names} does not exist", remedy, arn)
    wrong = _misfit(facts, plan, groups)
    seen = [
        fact("status", plan.status),
        fact("available", plan.available),
        fact("zones", few(sorted({each.zone for each in plan.capacities}))),
        fact("starts", str(plan.starts_at), plan.starts_at) if plan.starts_at else None,
        fact("ends", str(plan.ends_at), plan.ends_at) if plan.ends_at else None,
    ]
    said = f"the training plan {plan.name} of {names} is {plan.status}"
    if wrong:
        return failed(
            _PLAN, Priority.P0, f"{said}, and {wrong}", "Create the group anew as its plan has it.", arn, seen
        )
    if plan.status in ("Expired", "Failed"):
        remedy = "Buy another plan or choose other capacity, and create the group anew: its plan is fixed."
        return failed(_PLAN, Priority.P0, said, remedy, arn, seen)
    if plan.ends_at and facts.at + _CLOSING >= plan.ends_at:
        remedy = "Save what runs there. HyperPod takes the instances back an hour before the end."
        return warned(_PLAN, Priority.P0, f"{said}, and ends at {plan.ends_at:%Y-%m-%d %H:%M} UTC", remedy, arn, seen)
    if plan.status != "Active":
        return noted(_PLAN, f"{said}: the group waits for its start", arn, seen)
    return passed(_PLAN, said, arn)


def _misfit(facts: Facts, plan: TrainingPlan, groups: list[DesiredGroup]) -> str | None:
    """Say how groups ask for what the plan does not have; None when they do not."""
    if _HYPERPOD not in plan.targets:
        return f"is for {few(plan.targets)}, not for {_HYPERPOD}"
    for group in groups:
        zone, reserved = _zone(facts, group), zone_of(plan, group.instance_type)
        if group.instance_type not in plan.types:
            return f"reserves {few(plan.types)}, not {group.instance_type}"
        if zone and reserved and zone != reserved:
            return f"reserves its instances in {reserved}, while {group.name} stands in {zone}"
    return None


def _zone(facts: Facts, group: DesiredGroup) -> str | None:
    """Say in which zone a group stands: that of its subnet, where HyperPod has it."""
    found, vpc = facts.hyperpod.value, facts.vpc.value
    subnet_ids = next((g.subnet_ids for g in found.groups if g.desired.name == group.name), ()) if found else ()
    zones = {subnet.zone for subnet in vpc.subnets if subnet.subnet_id in subnet_ids} if vpc else set[str]()
    return zones.pop() if len(zones) == 1 else group.availability_zone
