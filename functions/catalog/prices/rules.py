"""What things cost by the shipped price list. What the list does not have has no price: it is never taken for free."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.catalog.tables import prices
from functions.core.previews import Action, Change, Cost

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from functions.catalog.prices.models import Support
    from functions.core.cluster import DesiredGroup

# How changes name what costs something by the hour.
CONTROL_PLANE: Final = "EKS cluster"
NAT_GATEWAY: Final = "NAT gateway"
INSTANCE_GROUP: Final = "instance group"
# Made group by group, and deleted as a whole.
HYPERPOD_CLUSTER: Final = "HyperPod cluster"
_SIGNS: Final = {Action.CREATE: 1, Action.DELETE: -1}


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


def group_price(group: DesiredGroup, region: str) -> Cost | None:
    """Say what a group costs an hour; None for one of several types: which of them it gets is not known before."""
    if len(group.types) != 1:
        return None
    one = price_of(group.types[0], group.capacity_type, region)
    return one and _cost(one.per_hour * group.instance_count)


def priced(changes: Iterable[Change], groups: Sequence[DesiredGroup], region: str) -> list[Change]:
    """Add its price to each change that makes or deletes something with a price; what is deleted saves it.

    `groups` are the instance groups that the changes speak of by their names.
    """
    return [_priced(change, groups, region) for change in changes]


def unpriced(changes: Iterable[Change]) -> list[str]:
    """Name what changes make or delete that costs something by the hour and has no price here."""
    return [f"{each.resource} {each.name}" for each in changes if _has_price(each) and each.cost is None]


def _has_price(change: Change) -> bool:
    if change.resource == HYPERPOD_CLUSTER:
        return change.action is Action.DELETE
    return change.action in _SIGNS and change.resource in (CONTROL_PLANE, NAT_GATEWAY, INSTANCE_GROUP)


def _priced(change: Change, groups: Sequence[DesiredGroup], region: str) -> Change:
    sign = _SIGNS.get(change.action)
    found = _found(change, groups, region) if _has_price(change) else None
    if sign is None or found is None:
        return change
    return change.model_copy(update={"cost": found.model_copy(update={"per_hour": sign * found.per_hour})})


def _found(change: Change, groups: Sequence[DesiredGroup], region: str) -> Cost | None:
    if change.resource == CONTROL_PLANE:
        return control_plane_price()
    if change.resource == NAT_GATEWAY:
        return nat_gateway_price(region)
    if change.resource == HYPERPOD_CLUSTER:
        return _sum([group_price(group, region) for group in groups])
    group = next((group for group in groups if group.name == change.name), None)
    return group_price(group, region) if group else None


def _sum(prices: Sequence[Cost | None]) -> Cost | None:
    """Add prices up; None where one of them is not known."""
    known = [price.per_hour for price in prices if price is not None]
    return _cost(sum(known)) if len(known) == len(prices) else None


def _cost(per_hour: float | None) -> Cost | None:
    if per_hour is None:
        return None
    return Cost(currency=prices().currency, per_hour=round(per_hour, 6), as_of=prices().date)
