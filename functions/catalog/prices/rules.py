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
    by_name = {group.name: group for group in groups}
    return [_priced(change, by_name.get(change.name), region) for change in changes]


def unpriced(changes: Iterable[Change]) -> list[str]:
    """Name what changes make or delete that costs something by the hour and has no price here."""
    kinds = (CONTROL_PLANE, NAT_GATEWAY, INSTANCE_GROUP)
    bare = (each for each in changes if each.action in _SIGNS and each.resource in kinds and each.cost is None)
    return [f"{each.resource} {each.name}" for each in bare]


def _priced(change: Change, group: DesiredGroup | None, region: str) -> Change:
    sign = _SIGNS.get(change.action)
    found = _found(change.resource, group, region) if sign else None
    if sign is None or found is None:
        return change
    return change.model_copy(update={"cost": found.model_copy(update={"per_hour": sign * found.per_hour})})


def _found(resource: str, group: DesiredGroup | None, region: str) -> Cost | None:
    if resource == CONTROL_PLANE:
        return control_plane_price()
    if resource == NAT_GATEWAY:
        return nat_gateway_price(region)
    return group_price(group, region) if resource == INSTANCE_GROUP and group else None


def _cost(per_hour: float | None) -> Cost | None:
    if per_hour is None:
        return None
    return Cost(currency=prices().currency, per_hour=round(per_hour, 6), as_of=prices().date)
