"""Training plans and the offerings they are bought from."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from infra.local.simulators.hyperpod import times


@dataclass(frozen=True)
class Reservation:
    """Instances of a type in a zone, from a start to an end."""

    instance_type: str
    count: int
    zone: str
    zone_id: str
    starts_at: datetime
    ends_at: datetime
    targets: tuple[str, ...]
    fee: str


@dataclass(frozen=True)
class OfferingRecord:
    """What a search finds; it can be bought for an hour."""

    offering_id: str
    reservation: Reservation
    listed_at: datetime | None = None
    """When a search first showed it; its hour begins then."""


@dataclass
class PlanRecord:
    """One training plan."""

    name: str
    arn: str
    reservation: Reservation
    created_at: datetime
    tags: dict[str, str] = field(default_factory=dict)

    def status(self, now: datetime) -> str:
        """The API's word."""
        if now < self.created_at + times.PLAN_PAYMENT and now < self.reservation.starts_at:
            return "Pending"
        if now < self.reservation.starts_at:
            return "Scheduled"
        return "Active" if now < self.reservation.ends_at else "Expired"

    @property
    def reclaim_at(self) -> datetime:
        """When HyperPod terminates the plan's instances."""
        return self.reservation.ends_at - times.PLAN_RECLAIM

    def serves(self, now: datetime) -> bool:
        """Whether instances can be launched on it."""
        return self.reservation.starts_at <= now < self.reclaim_at
