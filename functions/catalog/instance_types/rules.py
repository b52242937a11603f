"""Instance types as EC2 and the shipped table describe them together, and which of them a caller asks about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.catalog.instance_types.models import InstanceTypeView
from functions.catalog.models import Hardware
from functions.catalog.prices.rules import price_of
from functions.catalog.rules import instance_type, similar_instance_types, takes_efa_only
from functions.core.errors import FieldError, InvalidRequest, NotFound

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from functions.catalog.models import InstanceType

NAMED_AT_MOST: Final = 20
_MIB_OF_A_GIB: Final = 1024


def named_types(listed: str | None) -> list[str]:
    """Read a list of types parted by commas; raise InvalidRequest for an unknown one, or for too many."""
    names = list(dict.fromkeys(name.strip() for name in (listed or "").split(",") if name.strip()))
    unknown = [name for name in names if instance_type(name) is None]
    errors = [_unknown(name) for name in unknown]
    if len(names) > NAMED_AT_MOST:
        message = f"names {len(names)} types; at most {NAMED_AT_MOST} can be asked about at once"
        errors.append(FieldError(field="instance_types", message=message))
    if errors:
        raise InvalidRequest(f"instance_types: {errors[0].message}", errors=errors)
    return names


def known_type(name: str) -> InstanceType:
    """Find a type; raise NotFound naming those that come closest."""
    found = instance_type(name)
    if found is None:
        close = ", ".join(similar_instance_types(name)) or "GET /api/catalog/instance_types lists them"
        raise NotFound(f"{name} is no instance type of HyperPod clusters.", remedy=f"Choose another: {close}.")
    return found


def view(
    known: InstanceType,
    found: Mapping[str, Hardware] | None,
    offerings: Mapping[str, frozenset[str]] | None,
    region: str,
) -> InstanceTypeView:
    """Describe a type; `found` and `offerings` are EC2's by its own type names, None where EC2 did not say."""
    name = known.type.removeprefix("ml.")
    hardware = (found or {}).get(name)
    facts = hardware or shipped(known)
    zones = (offerings or {}).get(name)
    return InstanceTypeView(
        name=known.type,
        source="run_time" if hardware else "shipped",
        architecture=facts.architecture,
        vcpus=facts.vcpus,
        memory_gib=_gib(facts.memory_mib),
        accelerator=facts.accelerator,
        accelerator_count=facts.accelerator_count,
        accelerator_memory_gib=_gib(facts.accelerator_memory_mib),
        efa_interfaces=facts.efa_interfaces,
        efa_only_possible=takes_efa_only(known.type),
        addresses_per_node=known.subnet_ips,
        addresses_per_node_efa_only=known.subnet_ips_efa_only,
        max_pods=known.max_pods,
        price=price_of(known.type, "on_demand", region),
        availability_zones=sorted(zones) if zones else None,
    )


def shipped(known: InstanceType) -> Hardware:
    """Give the hardware as the shipped table has it."""
    return Hardware(
        architecture=known.architecture,
        vcpus=known.vcpus,
        memory_mib=known.memory_gib * _MIB_OF_A_GIB,
        accelerator=known.accelerator,
        accelerator_count=known.accelerator_count,
        accelerator_memory_mib=known.accelerator_memory_gib * _MIB_OF_A_GIB,
        efa_interfaces=known.efa_interfaces,
    )


def chosen(
    types: Sequence[InstanceType],
    found: Mapping[str, Hardware] | None,
    *,
    accelerated: bool | None,
    efa: bool | None,
) -> list[InstanceType]:
    """Give the types that have accelerators and EFA as asked for, or have not; in the order of their names."""
    hardware = {known.type: (found or {}).get(known.type.removeprefix("ml.")) or shipped(known) for known in types}
    return sorted(
        (
            known
            for known in types
            if accelerated in (None, hardware[known.type].accelerator_count > 0)
            and efa in (None, hardware[known.type].efa_interfaces > 0)
        ),
        key=lambda known: known.type,
    )


def _gib(mib: int) -> float:
    return round(mib / _MIB_OF_A_GIB, 2)


def _unknown(name: str) -> FieldError:
    message = f"{name} is no instance type of HyperPod clusters"
    return FieldError(field="instance_types", message=message, allowed=similar_instance_types(name))
