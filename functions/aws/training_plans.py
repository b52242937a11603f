"""Training plans of SageMaker: those that were bought, and what could be bought."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from functions.capacity.preflight.models import ReservedCapacity, TrainingPlan
from functions.core import runtime
from functions.core.failures import code_of

if TYPE_CHECKING:
    from types_boto3_sagemaker.type_defs import TrainingPlanOfferingTypeDef

    from functions.core.runtime import Patience


@dataclass(frozen=True)
class Offering:
    """A training plan that can be bought at present; its id is good for a short time only."""

    offering_id: str
    zone: str
    count: int
    starts_at: str
    hours: int
    fee: str


def describe(arn: str, patience: Patience | None = None) -> TrainingPlan | None:
    """Describe a plan by its ARN; None when there is none. Raises the client's own errors."""
    try:
        found = runtime.client("sagemaker", patience).describe_training_plan(TrainingPlanName=arn)
    except ClientError as error:
        if code_of(error) in ("ResourceNotFound", "ResourceNotFoundException"):
            return None
        raise
    return TrainingPlan(
        arn=found["TrainingPlanArn"],
        name=found["TrainingPlanName"],
        status=found["Status"],
        available=found.get("AvailableInstanceCount", 0),
        targets=tuple(found.get("TargetResources", [])),
        capacities=tuple(
            ReservedCapacity(
                instance_type=each.get("InstanceType", ""),
                zone=each.get("AvailabilityZone") or each.get("AvailabilityZoneId", ""),
            )
            for each in found.get("ReservedCapacitySummaries", [])
        ),
        starts_at=found.get("StartTime"),
        ends_at=found.get("EndTime"),
    )


def search(instance_type: str, count: int) -> list[Offering]:
    """List the plans for HyperPod that could be bought now; a type that is in no plan has none.

    Raises the client's own errors.
    """
    try:
        answer = runtime.client("sagemaker").search_training_plan_offerings(
            InstanceType=instance_type,  # type: ignore[arg-type]  # a type in no plan is refused, and that is the answer
            InstanceCount=count,
            TargetResources=["hyperpod-cluster"],
        )
    except ClientError as error:
        if code_of(error) == "ValidationException":
            return []
        raise
    return [_offering(each) for each in answer["TrainingPlanOfferings"]]


def _offering(found: TrainingPlanOfferingTypeDef) -> Offering:
    capacities = found.get("ReservedCapacityOfferings", [])
    starts = [each["StartTime"] for each in capacities if "StartTime" in each]
    return Offering(
        offering_id=found["TrainingPlanOfferingId"],
        zone=next((each["AvailabilityZone"] for each in capacities if "AvailabilityZone" in each), ""),
        count=sum(each["InstanceCount"] for each in capacities),
        starts_at=f"{min(starts):%Y-%m-%d %H:%M}" if starts else "",
        hours=found.get("DurationHours", 0),
        fee=f"{found.get('UpfrontFee', '?')} {found.get('CurrencyCode', '')}".strip(),
    )
