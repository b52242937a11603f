"""Training plans of SageMaker in lists: those of the account, and those that could be bought."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from functions.catalog.training_plans.models import OfferingView, PlannedCapacity, TrainingPlanView
from functions.catalog.training_plans.rules import instances_end_at
from functions.core import runtime

if TYPE_CHECKING:
    from types_boto3_sagemaker.type_defs import (
        ListTrainingPlansRequestTypeDef,
        ReservedCapacityOfferingTypeDef,
        ReservedCapacitySummaryTypeDef,
        SearchTrainingPlanOfferingsRequestTypeDef,
        TrainingPlanOfferingTypeDef,
        TrainingPlanSummaryTypeDef,
    )

    from functions.core.runtime import Patience

LARGEST_PAGE: Final = 100
_LATEST: Final = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Wanted:
    """What a search asks for; the duration is a minimum, the start the earliest."""

    instance_type: str
    count: int
    hours: int | None
    starts_after: datetime | None


def page(
    size: int, token: str | None, status: str | None, patience: Patience | None = None
) -> tuple[list[TrainingPlanView], str | None]:
    """Read one page of the account's plans and the token of the next. Raises the client's own errors."""
    asked: ListTrainingPlansRequestTypeDef = {"MaxResults": size, "SortBy": "StartTime", "SortOrder": "Descending"}
    if token:
        asked["NextToken"] = token
    if status:
        asked["Filters"] = [{"Name": "Status", "Value": status}]
    answer = runtime.client("sagemaker", patience).list_training_plans(**asked)
    return [_plan(found) for found in answer["TrainingPlanSummaries"]], answer.get("NextToken")


def search(wanted: Wanted, patience: Patience | None = None) -> list[OfferingView]:
    """Search plans for HyperPod that could be bought now, the earliest first. Raises the client's own errors."""
    asked: SearchTrainingPlanOfferingsRequestTypeDef = {
        "InstanceType": wanted.instance_type,  # type: ignore[typeddict-item]  # checked against the enumeration before
        "InstanceCount": wanted.count,
        "TargetResources": ["hyperpod-cluster"],
    }
    if wanted.hours:
        asked["DurationHours"] = wanted.hours
    if wanted.starts_after:
        asked["StartTimeAfter"] = wanted.starts_after
    answer = runtime.client("sagemaker", patience).search_training_plan_offerings(**asked)
    return sorted((_offering(found) for found in answer["TrainingPlanOfferings"]), key=_start)


def _start(offering: OfferingView) -> tuple[datetime, str]:
    starts = [capacity.starts_at for capacity in offering.capacities if capacity.starts_at]
    return min(starts, default=_LATEST), offering.offering_id


def _plan(found: TrainingPlanSummaryTypeDef) -> TrainingPlanView:
    return TrainingPlanView(
        name=found["TrainingPlanName"],
        arn=found["TrainingPlanArn"],
        status=found["Status"],
        status_message=found.get("StatusMessage"),
        targets=[*found.get("TargetResources", [])],
        starts_at=found.get("StartTime"),
        ends_at=found.get("EndTime"),
        instances_end_at=instances_end_at(found.get("EndTime")),
        total_instances=found.get("TotalInstanceCount", 0),
        in_use_instances=found.get("InUseInstanceCount", 0),
        available_instances=found.get("AvailableInstanceCount", 0),
        upfront_fee=found.get("UpfrontFee"),
        currency=found.get("CurrencyCode"),
        capacities=[_reserved(each) for each in found.get("ReservedCapacitySummaries", [])],
    )


def _reserved(found: ReservedCapacitySummaryTypeDef) -> PlannedCapacity:
    return PlannedCapacity(
        instance_type=found["InstanceType"],
        instances=found["TotalInstanceCount"],
        availability_zone=found.get("AvailabilityZone"),
        availability_zone_id=found.get("AvailabilityZoneId"),
        status=found["Status"],
        starts_at=found.get("StartTime"),
        ends_at=found.get("EndTime"),
    )


def _offering(found: TrainingPlanOfferingTypeDef) -> OfferingView:
    return OfferingView(
        offering_id=found["TrainingPlanOfferingId"],
        targets=[*found["TargetResources"]],
        duration_hours=found.get("DurationHours", 0),
        upfront_fee=found.get("UpfrontFee"),
        currency=found.get("CurrencyCode"),
        capacities=[_offered(each) for each in found.get("ReservedCapacityOfferings", [])],
    )


def _offered(found: ReservedCapacityOfferingTypeDef) -> PlannedCapacity:
    return PlannedCapacity(
        instance_type=found["InstanceType"],
        instances=found["InstanceCount"],
        availability_zone=found.get("AvailabilityZone"),
        availability_zone_id=None,
        starts_at=found.get("StartTime"),
        ends_at=found.get("EndTime"),
    )
