"""What could be had in place of capacity that is short: named with the fields to change, never switched unasked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from functions.core.errors import Cause, FieldError, Layer, StageFailed
from functions.core.failures import CAPACITY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import JsonValue

    from functions.core.cluster import DesiredGroup


@dataclass(frozen=True)
class PlanOffering:
    """A training plan that could be bought, by the id to buy it with and how it reads."""

    offering_id: str
    words: str


@dataclass(frozen=True)
class Alternatives:
    """What there is besides a group's own choice; `zones` and `plans` are None when that could not be found out."""

    zones: Sequence[str] | None
    plans: Sequence[PlanOffering] | None


def unavailable(group: DesiredGroup, message: str, resource: str) -> StageFailed:
    """Fail for want of capacity, as `on_shortage: fail` asks."""
    return StageFailed(_detail(group, message), cause=_cause(resource), remedy=_remedy(), retryable=True)


def place_of(name: str, request: Mapping[str, JsonValue]) -> str:
    """Say where a group stands in the request of an operation that creates a HyperPod cluster."""
    inner = request.get("hyperpod")
    path, hyperpod = ("hyperpod.", inner) if isinstance(inner, dict) else ("", request)
    groups = hyperpod.get("instance_groups")
    names = [group.get("name") for group in groups if isinstance(group, dict)] if isinstance(groups, list) else []
    return f"{path}instance_groups[{names.index(name)}]" if name in names else f"{path}system_group"


def unavailable_but(group: DesiredGroup, at: str, message: str, resource: str, other: Alternatives) -> StageFailed:
    """Fail for want of capacity with what could be had, as `on_shortage: alternatives` asks.

    Each alternative is the field of the group, `at` its place in the request, with the values to choose from.
    """
    errors = [error for error in (_zones(group, other), _plans(group, other), _capacity(group)) if error is not None]
    placed = [error.model_copy(update={"field": f"{at}.{error.field}"}) for error in errors]
    return StageFailed(
        _detail(group, message), errors=placed, cause=_cause(resource), remedy=_remedy(" one of them"), retryable=True
    )


def _detail(group: DesiredGroup, message: str) -> str:
    asked = f"{group.instance_count} x {', '.join(group.types)}"
    return f"There is no capacity for the group {group.name} ({asked}): {message}"


def _cause(resource: str) -> Cause:
    return Cause(layer=Layer.HYPERPOD, service="sagemaker", code=CAPACITY, resource=resource)


def _remedy(chosen: str = " another zone, instance type or capacity type") -> str:
    return (
        f"Choose{chosen} for a new cluster, or retry this operation to wait on. HyperPod itself goes on trying, and "
        "bills what it launches: delete the HyperPod cluster if you do not want that."
    )


def _zones(group: DesiredGroup, other: Alternatives) -> FieldError | None:
    if other.zones is None:
        return FieldError(field="availability_zone", message="EC2 did not say which other zones offer the type")
    if not other.zones:
        return FieldError(field="availability_zone", message="no other zone of the region offers the type", allowed=[])
    message = f"these other zones offer {', '.join(group.types)}; whether they have it free shows only a try"
    return FieldError(field="availability_zone", message=message, allowed=[*other.zones])


def _plans(group: DesiredGroup, other: Alternatives) -> FieldError | None:
    if group.training_plan_arn:
        return None
    if other.plans is None:
        return FieldError(field="training_plan_arn", message="SageMaker did not say which training plans it offers")
    if not other.plans:
        return FieldError(field="training_plan_arn", message="no training plan is offered for this type and count")
    offered = "; ".join(plan.words for plan in other.plans)
    message = f"training plans that can be bought within the hour, by their offering ids: {offered}"
    return FieldError(field="training_plan_arn", message=message, allowed=[plan.offering_id for plan in other.plans])


def _capacity(group: DesiredGroup) -> FieldError | None:
    if group.capacity_type == "spot":
        message = "On-Demand instances are not interrupted, and come from another pool"
        return FieldError(field="capacity_type", message=message, allowed=["on_demand"])
    message = "Spot instances come from spare capacity, have a quota of their own and can be interrupted"
    return FieldError(field="capacity_type", message=message, allowed=["spot"])
