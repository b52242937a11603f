"""What a caller may ask of a suggested range, and how a suggestion reads."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import TYPE_CHECKING

from functions.catalog.addresses.models import NetworkSuggestion
from functions.core.errors import FieldError, InvalidRequest
from functions.network.rules import VPC_PREFIXES

if TYPE_CHECKING:
    from functions.network.rules import NetworkPlan


def check_prefix(prefix: int) -> None:
    """Raise InvalidRequest for a size in which subnets of the usual sizes do not fit, or that no VPC can have."""
    if prefix not in VPC_PREFIXES:
        allowed = [str(each) for each in VPC_PREFIXES]
        message = f"{prefix} is no size of a VPC in which everything has its usual size"
        error = FieldError(field="prefix", message=message, allowed=allowed)
        raise InvalidRequest(f"prefix: {message}; it has to be one of {', '.join(allowed)}", errors=[error])


def excluded_ranges(listed: str | None) -> list[IPv4Network]:
    """Read ranges parted by commas; raise InvalidRequest for what is none."""
    texts = [text.strip() for text in (listed or "").split(",") if text.strip()]
    ranges = {text: _range(text) for text in texts}
    wrong = [text for text, found in ranges.items() if found is None]
    if wrong:
        message = f"{wrong[0]} is no IPv4 range such as 10.20.0.0/16"
        raise InvalidRequest(f"exclude: {message}", errors=[FieldError(field="exclude", message=message)])
    return [found for found in ranges.values() if found]


def suggestion_of(plan: NetworkPlan) -> NetworkSuggestion:
    """Write a plan for the reader."""
    return NetworkSuggestion(
        vpc_cidr=str(plan.vpc),
        public_subnet_cidrs=[*map(str, plan.public)],
        control_plane_subnet_cidrs=[*map(str, plan.control_plane)],
        compute_subnet_cidrs=[*map(str, plan.compute)],
        service_cidr=str(plan.services),
    )


def _range(text: str) -> IPv4Network | None:
    try:
        return IPv4Network(text)
    except ValueError:
        return None
