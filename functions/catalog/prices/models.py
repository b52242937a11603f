"""The shipped price list, and what something costs by it."""

from __future__ import annotations

from datetime import date
from typing import Literal

from pydantic import BaseModel, ConfigDict

Support = Literal["standard", "extended"]


class Prices(BaseModel):
    """`data/prices.json`: prices per hour; those that differ between regions by region."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    date: date
    currency: str
    control_plane_per_hour: dict[Support, float]
    public_address_per_hour: float
    nat_gateway_per_hour: dict[str, float]
    instance_types_per_hour: dict[str, dict[str, float]]
