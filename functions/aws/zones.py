"""The availability zones of the region in use, as this account names them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.catalog.models import Zone
from functions.core import runtime
from functions.core.runtime import Patience

if TYPE_CHECKING:
    from types_boto3_ec2.type_defs import FilterTypeDef


def describe(patience: Patience = Patience.EDGE) -> list[Zone]:
    """Give the region's availability zones; Local and Wavelength Zones are left out.

    Raises botocore's ClientError or BotoCoreError: only the caller knows whether it can do without an answer.
    """
    wanted: list[FilterTypeDef] = [{"Name": "zone-type", "Values": ["availability-zone"]}]
    answer = runtime.client("ec2", patience).describe_availability_zones(Filters=wanted)
    return [
        Zone(zone["ZoneName"], zone["ZoneId"], zone.get("State", "available")) for zone in answer["AvailabilityZones"]
    ]
