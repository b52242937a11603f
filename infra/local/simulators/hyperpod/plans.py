"""Training plans: search, purchase, descriptions (facts 1.9)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from infra.local.simulators.hyperpod import times
from infra.local.simulators.hyperpod.listing import listed
from infra.local.simulators.hyperpod.plan_records import OfferingRecord, PlanRecord, Reservation
from infra.local.simulators.hyperpod.refusals import invalid
from infra.local.simulators.service import ServiceError, refuse_unverified

if TYPE_CHECKING:
    from infra.local.simulators.hyperpod.state import HyperPodState
    from infra.local.simulators.service import JsonObject, ServiceRequest

SEARCHED_BY = frozenset(
    {"InstanceType", "InstanceCount", "StartTimeAfter", "EndTimeBefore", "DurationHours", "TargetResources"}
)


class Plans:
    """The operations on training plans."""

    def __init__(self, state: HyperPodState) -> None:
        self._state = state

    @property
    def operations(self) -> Mapping[str, Callable[[JsonObject, ServiceRequest], JsonObject]]:
        """Operation name → method."""
        return {
            "SearchTrainingPlanOfferings": self._search,
            "CreateTrainingPlan": self._create,
            "DescribeTrainingPlan": self._describe,
            "ListTrainingPlans": self._list,
        }

    def _search(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        refuse_unverified(params, SEARCHED_BY)
        records, now = self._state.records, self._state.now()
        found = [
            each for each in records.offerings.values() if _on_sale(each, now) and _matches(each.reservation, params)
        ]
        for each in found:
            records.offerings[each.offering_id] = replace(each, listed_at=each.listed_at or now)
        return {"TrainingPlanOfferings": [_offering(each, params) for each in found]}

    def _create(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        refuse_unverified(params, {"TrainingPlanName", "TrainingPlanOfferingId", "Tags"})
        records, now = self._state.records, self._state.now()
        name, offering_id = params["TrainingPlanName"], params["TrainingPlanOfferingId"]
        offering = records.offerings.get(offering_id)
        if offering is None or not _on_sale(offering, now):
            raise ServiceError("ResourceNotFound", f"Training plan offering {offering_id} does not exist.")
        if self.arn(name) in records.plans:
            raise ServiceError("ResourceInUse", f"Training plan with name {name} already exists.")
        del records.offerings[offering_id]
        return {"TrainingPlanArn": self.make(name, offering.reservation, params.get("Tags", [])).arn}

    def make(self, name: str, reservation: Reservation, tags: list[dict[str, str]]) -> PlanRecord:
        """Make a plan."""
        known = {tag["Key"]: tag["Value"] for tag in tags}
        plan = PlanRecord(name, self.arn(name), reservation, self._state.now(), known)
        self._state.records.plans[plan.arn] = plan
        return plan

    def arn(self, name: str) -> str:
        """The ARN of a plan."""
        return f"arn:aws:sagemaker:{self._state.region}:{self._state.account_id}:training-plan/{name}"

    def _describe(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        name = params["TrainingPlanName"]
        plan = self._state.records.plans.get(name if name.startswith("arn:") else self.arn(name))
        if plan is None:
            raise ServiceError("ResourceNotFound", f"Training plan {name} does not exist.")
        return {**self._summary(plan), "UnhealthyInstanceCount": 0, "AvailableSpareInstanceCount": 0}

    def _list(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        if len({each["Name"] for each in params.get("Filters", [])}) != len(params.get("Filters", [])):
            raise invalid("Each filter must be given once.")
        statuses = {each["Value"] for each in params.get("Filters", [])}
        found = [self._summary(plan) for plan in self._state.records.plans.values()]
        wanted = [each for each in found if not statuses or each["Status"] in statuses]
        order = params.get("SortBy", "StartTime")
        return listed("TrainingPlanSummaries", wanted, params, time="StartTime", order=order, asked="StartTime")

    def _summary(self, plan: PlanRecord) -> JsonObject:
        reserved, status = plan.reservation, plan.status(self._state.now())
        used = sum(group.target for group in self._state.records.groups() if group.plan == plan.arn)
        in_use = min(used, reserved.count) if status == "Active" else 0
        return {
            "TrainingPlanArn": plan.arn,
            "TrainingPlanName": plan.name,
            "Status": status,
            **_span(reserved.ends_at - reserved.starts_at),
            "StartTime": reserved.starts_at,
            "EndTime": reserved.ends_at,
            "UpfrontFee": reserved.fee,
            "CurrencyCode": "USD",
            "TotalInstanceCount": reserved.count,
            "AvailableInstanceCount": max(reserved.count - used, 0),
            "InUseInstanceCount": in_use,
            "TargetResources": list(reserved.targets),
            "ReservedCapacitySummaries": [self._capacity(plan, status)],
        }

    def _capacity(self, plan: PlanRecord, status: str) -> JsonObject:
        reserved = plan.reservation
        return {
            "ReservedCapacityArn": plan.arn.replace(":training-plan/", ":reserved-capacity/"),
            "ReservedCapacityType": "Instance",
            "InstanceType": reserved.instance_type,
            "TotalInstanceCount": reserved.count,
            "Status": status,
            "AvailabilityZone": reserved.zone,
            "AvailabilityZoneId": reserved.zone_id,
            **_span(reserved.ends_at - reserved.starts_at),
            "StartTime": reserved.starts_at,
            "EndTime": reserved.ends_at,
        }


def _on_sale(offering: OfferingRecord, now: datetime) -> bool:
    """Offerings are short-lived, and none starts within half an hour (facts 1.9)."""
    shown = offering.listed_at is None or now < offering.listed_at + times.OFFERING_LIFE
    ahead = offering.reservation.starts_at - now
    return shown and times.PLAN_START_EARLIEST <= ahead <= times.PLAN_START_LATEST


def _matches(reserved: Reservation, params: JsonObject) -> bool:
    hours = params.get("DurationHours")
    after, before = params.get("StartTimeAfter"), params.get("EndTimeBefore")
    return (
        params.get("InstanceType", reserved.instance_type) == reserved.instance_type
        and params.get("InstanceCount", reserved.count) == reserved.count
        and (hours is None or reserved.ends_at - reserved.starts_at >= timedelta(hours=hours))
        and (after is None or reserved.starts_at >= after)
        and (before is None or reserved.ends_at <= before)
        and set(params.get("TargetResources", [])) <= set(reserved.targets)
    )


def _offering(offering: OfferingRecord, params: JsonObject) -> JsonObject:
    reserved = offering.reservation
    span = _span(reserved.ends_at - reserved.starts_at)
    return {
        "TrainingPlanOfferingId": offering.offering_id,
        "TargetResources": list(reserved.targets),
        "RequestedStartTimeAfter": params.get("StartTimeAfter"),
        "RequestedEndTimeBefore": params.get("EndTimeBefore"),
        **span,
        "UpfrontFee": reserved.fee,
        "CurrencyCode": "USD",
        "ReservedCapacityOfferings": [
            {
                "ReservedCapacityType": "Instance",
                "InstanceType": reserved.instance_type,
                "InstanceCount": reserved.count,
                "AvailabilityZone": reserved.zone,
                **span,
                "StartTime": reserved.starts_at,
                "EndTime": reserved.ends_at,
            }
        ],
    }


def _span(length: timedelta) -> JsonObject:
    minutes = int(length.total_seconds()) // 60
    return {"DurationHours": minutes // 60, "DurationMinutes": minutes % 60}
