"""What things cost by the shipped price list. What the list does not have has no price: it is never taken for free."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.catalog.tables import prices
from functions.core.previews import Cost

if TYPE_CHECKING:
    from functions.catalog.prices.models import Support


def price_of(instance_type: str, capacity_type: str | None, region: str) -> Cost | None:
    """Say what one instance adds to the bill an hour; None where the list has no price for it.

    Spot prices change by the hour and are in no list. A training plan is paid for as a whole before it starts, so its
    instances add nothing (SageMaker developer guide, "Training plans", read 2026-11-29).
    """
    if capacity_type == "training_plan":
        return _cost(0.0)
    if capacity_type == "spot":
        return None
    return _cost(prices().instance_types_per_hour.get(region, {}).get(instance_type))


def control_plane_price(support: Support = "standard") -> Cost | None:
    """Say what an EKS control plane costs an hour; in extended support its Kubernetes version costs more."""
    return _cost(prices().control_plane_per_hour.get(support))


def nat_gateway_price(region: str) -> Cost | None:
    """Say what a NAT gateway costs an hour, with its public address and without the data it processes."""
    gateway = prices().nat_gateway_per_hour.get(region)
    return None if gateway is None else _cost(gateway + prices().public_address_per_hour)


def _cost(per_hour: float | None) -> Cost | None:
    if per_hour is None:
        return None
    return Cost(currency=prices().currency, per_hour=round(per_hour, 6), as_of=prices().date)
