"""What callers get about training plans, and about those that could be bought."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from functions.catalog.answers.models import CatalogAnswer, Record


class PlannedCapacity(Record):
    """Instances of one type that a plan reserves in one zone for a time."""

    instance_type: str
    instances: int
    availability_zone: str | None
    availability_zone_id: str | None
    status: str | None = None
    starts_at: datetime | None
    ends_at: datetime | None


class TrainingPlanView(Record):
    """A training plan of the account; `status` is SageMaker's word."""

    name: str
    arn: str
    status: str
    status_message: str | None
    targets: list[str]
    starts_at: datetime | None
    ends_at: datetime | None
    instances_end_at: datetime | None = Field(description="When HyperPod takes the instances back: an hour before.")
    total_instances: int
    in_use_instances: int
    available_instances: int
    upfront_fee: str | None
    currency: str | None
    capacities: list[PlannedCapacity]


class TrainingPlanPage(CatalogAnswer):
    """One page of training plans, the latest start first; null when SageMaker did not list them."""

    training_plans: list[TrainingPlanView] | None
    next_token: str | None = None


class OfferingView(Record):
    """A training plan that could be bought; its id is good for a short time after the search."""

    offering_id: str
    targets: list[str]
    duration_hours: int
    upfront_fee: str | None
    currency: str | None
    capacities: list[PlannedCapacity]


class OfferingList(CatalogAnswer):
    """The training plans for HyperPod that could be bought, the earliest first; null when SageMaker did not say."""

    training_plan_offerings: list[OfferingView] | None
