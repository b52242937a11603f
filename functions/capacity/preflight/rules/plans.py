"""Whether training plans give what the groups that name them ask for: type, zone, count and time.

Source: SageMaker developer guide, "Training plans utilization for HyperPod".
"""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from functions.core.errors import Conflict, InvalidRequest, Unavailable
from functions.core.findings import Finding, Level

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from functions.capacity.preflight.models import Facts, Placed, TrainingPlan

PLAN: Final = "training_plan"
UNKNOWN: Final = "training_plan_unknown"
TARGET: Final = "training_plan_target"
INSTANCE_TYPE: Final = "training_plan_instance_type"
ZONE: Final = "training_plan_zone"
COUNT: Final = "training_plan_count"
STATUS: Final = "training_plan_status"
WINDOW: Final = "training_plan_window"
ZONE_UNKNOWN: Final = "training_plan_zone_unknown"
_HYPERPOD: Final = "hyperpod-cluster"
# So long before the end of a plan HyperPod terminates its instances.
_CLOSING: Final = timedelta(hours=1)
# What only another request can put right; every other error may pass with time, or when others give instances back.
_INVALID: Final = frozenset({UNKNOWN, INSTANCE_TYPE, TARGET})


def zone_of(plan: TrainingPlan, instance_type: str | None) -> str | None:
    """Name the zone in which a plan has a type; None when there is none, or more than one."""
    zones = {each.zone for each in plan.capacities if each.zone and each.instance_type == instance_type}
    return zones.pop() if len(zones) == 1 else None


def check(placed: Sequence[Placed], facts: Facts) -> Iterator[Finding]:
    """Judge each group by its own plan; groups that share one also by what they ask of it together."""
    asked = Counter[str]()
    for each in placed:
        arn = each.group.training_plan_arn
        if arn and facts.plans is None and not each.group.availability_zone:
            yield _zone_unknown(each, arn)
        if arn and facts.plans is not None and arn in facts.plans:
            asked[arn] += each.group.instance_count
            yield from _check(each, arn, facts, facts.plans[arn], asked[arn])


def _zone_unknown(each: Placed, arn: str) -> Finding:
    return Finding(
        check=ZONE_UNKNOWN,
        level=Level.ERROR,
        code=Unavailable.code,
        field=each.at("availability_zone"),
        message="SageMaker does not say at present in which zone the training plan reserves its instances; nothing was "
        "begun",
        resource=arn,
        remedy="Name the zone as availability_zone of the group, or send the request again in a moment.",
    )


def _check(each: Placed, arn: str, facts: Facts, plan: TrainingPlan | None, asked: int) -> Iterator[Finding]:
    if plan is None:
        message = "names no training plan of this account and region"
        remedy = "Name a plan by its ARN as DescribeTrainingPlan gives it."
        yield _error(each, UNKNOWN, "training_plan_arn", message, arn, remedy)
        return
    if _HYPERPOD not in plan.targets:
        message = f"is a plan for {', '.join(plan.targets)}; a group takes one for {_HYPERPOD}"
        remedy = "Buy a plan with the target hyperpod-cluster; the target of a plan is fixed."
        yield _error(each, TARGET, "training_plan_arn", message, arn, remedy)
        return
    yield from _check_status(each, plan)
    yield from _check_window(each, plan, facts.at)
    wanted = each.group.instance_type
    if wanted not in plan.types:
        has = ", ".join(plan.types)
        message = f"is {wanted}, and the training plan {plan.name} reserves {has}"
        remedy = f"Ask for {has} in the group {each.group.name}, or give it a plan of its type."
        yield _error(each, INSTANCE_TYPE, "instance_type", message, arn, remedy, plan.types)
        return
    yield from _check_zone(each, plan)
    if asked > plan.available:
        message = f"asks for {asked} of the training plan {plan.name}, which has {plan.available} left"
        remedy = f"Ask for at most {plan.available}, or give the rest of the instances another capacity."
        yield _error(each, COUNT, "instance_count", message, arn, remedy)


def _check_zone(each: Placed, plan: TrainingPlan) -> Iterator[Finding]:
    zones = sorted({has.zone for has in plan.capacities if has.zone and has.instance_type == each.group.instance_type})
    if not zones or each.zone is None or each.zone in zones:
        return
    message = f"is {each.zone}, and the training plan {plan.name} reserves its instances in {', '.join(zones)}"
    remedy = f"Place the group {each.group.name} in {zones[0]}, or leave its zone out: then the plan's is used."
    yield _error(each, ZONE, "availability_zone", message, plan.arn, remedy, zones)


def _check_status(each: Placed, plan: TrainingPlan) -> Iterator[Finding]:
    if plan.status in ("Expired", "Failed"):
        message = f"names the training plan {plan.name}, which is {plan.status}{_window(plan)}"
        remedy = "Buy another plan, or choose another capacity for the group."
        yield _error(each, STATUS, "training_plan_arn", message, plan.arn, remedy)
    elif plan.status in ("Pending", "Scheduled"):
        yield Finding(
            check=STATUS,
            level=Level.WARNING,
            field=each.at("training_plan_arn"),
            message=f"the training plan {plan.name} is {plan.status}{_window(plan)}: the group waits for its start",
            resource=plan.arn,
        )


def _check_window(each: Placed, plan: TrainingPlan, at: datetime | None) -> Iterator[Finding]:
    """Refuse a plan in force whose instances would be terminated at once."""
    if at is None or plan.ends_at is None or plan.status != "Active" or at + _CLOSING < plan.ends_at:
        return
    message = (
        f"names the training plan {plan.name}, which ends at {plan.ends_at:%Y-%m-%d %H:%M} UTC: HyperPod terminates "
        "its instances an hour before"
    )
    yield _error(
        each,
        WINDOW,
        "training_plan_arn",
        message,
        plan.arn,
        "Extend the plan, buy another, or choose other capacity for the group.",
    )


def _window(plan: TrainingPlan) -> str:
    """Write when a plan holds, in UTC."""
    moments = [f"{moment:%Y-%m-%d %H:%M}" for moment in (plan.starts_at, plan.ends_at) if moment]
    return f" ({' to '.join(moments)} UTC)" if moments else ""


def _error(
    each: Placed,
    check: str,
    member: str,
    message: str,
    arn: str,
    remedy: str,
    allowed: list[str] | None = None,
) -> Finding:
    return Finding(
        check=check,
        level=Level.ERROR,
        code=InvalidRequest.code if check in _INVALID else Conflict.code,
        field=each.at(member),
        message=message,
        resource=arn,
        remedy=remedy,
        allowed=allowed,
    )
