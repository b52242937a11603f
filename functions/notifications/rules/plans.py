"""What is told of training plans: that one that groups run on ends within a day, and that it has ended."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from functions.catalog.training_plans.rules import instances_end_at
from functions.notifications.models import Notice, PlanUse
from functions.notifications.rules import wording

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from functions.core.cluster import ClusterSpec

AHEAD: Final = timedelta(hours=24)
# A look that was missed for so long is made up for; what ended before that is no news.
RECENT: Final = timedelta(hours=48)
# Each is told once: by then the plan is neither about to end nor recent.
_SILENCE: Final = timedelta(days=30)
_BEFORE: Final = "Save checkpoints before the instances go; to go on, extend the plan or buy another one in time."
_AFTER: Final = "The groups have no instances any more: give them another plan or other capacity, or delete them."


def groups_by_plan(specs: Iterable[ClusterSpec]) -> Mapping[str, tuple[str, ...]]:
    """Name the groups that run on training plans, by the ARN of the plan."""
    found: dict[str, tuple[str, ...]] = {}
    for spec in specs:
        for group in spec.instance_groups:
            if group.training_plan_arn:
                found[group.training_plan_arn] = (*found.get(group.training_plan_arn, ()), f"{spec.tag}/{group.name}")
    return found


def ending(plan: PlanUse, now: datetime, console: str | None) -> Notice | None:
    """Tell of a plan that ends within a day, or has ended within two; None for any other."""
    left = plan.ends_at - now
    if left > AHEAD or left < -RECENT:
        return None
    has_ended = left <= timedelta(0)
    what = f"training plan {plan.name} {'has ended' if has_ended else 'ends'} {wording.moment(plan.ends_at)}"
    first = plan.groups[0].partition("/")[0]
    return Notice(
        key=f"plan#{plan.arn}#{'ended' if has_ended else 'ending'}",
        subject=wording.subject(what),
        text=wording.text(
            f"{what}.",
            groups=", ".join(plan.groups),
            instances_taken_back=_taken_back(plan),
            training_plan=plan.arn,
            remedy=_AFTER if has_ended else _BEFORE,
            look=wording.cluster_link(console, first),
        ),
        silence=_SILENCE,
    )


def _taken_back(plan: PlanUse) -> str | None:
    at = instances_end_at(plan.ends_at)
    return wording.moment(at) if at else None
