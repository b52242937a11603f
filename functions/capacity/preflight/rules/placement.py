"""Into which zone each group of a request goes: its own, else its training plan's, else the cluster's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.capacity.preflight.models import Placed
from functions.capacity.preflight.rules.plans import zone_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from functions.capacity.models import InstanceGroup
    from functions.capacity.preflight.models import TrainingPlan


def placed(
    groups: Iterable[tuple[str, InstanceGroup]], zone: str, plans: Mapping[str, TrainingPlan | None]
) -> list[Placed]:
    """Place groups, each with where it stands in the request; `zone` is the cluster's."""
    return [_placed(field, group, zone, plans) for field, group in groups]


def _placed(field: str, group: InstanceGroup, zone: str, plans: Mapping[str, TrainingPlan | None]) -> Placed:
    if group.availability_zone:
        return Placed(group, field, group.availability_zone)
    plan = plans.get(group.training_plan_arn) if group.training_plan_arn else None
    reserved = zone_of(plan, group.instance_type) if plan else None
    # The zone of a given subnet is looked up with the subnet.
    return Placed(group, field, reserved or (None if group.subnet_id else zone))
