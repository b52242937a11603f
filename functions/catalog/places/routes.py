"""The routes that read regions and availability zones.

Annotations are evaluated here, because Powertools reads them to validate.
"""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.aws import offerings, zones
from functions.catalog.answers.routes import Asking
from functions.catalog.instance_types.rules import named_types
from functions.catalog.places.models import RegionList, ZoneList
from functions.catalog.places.rules import region_view, zone_view
from functions.core import settings
from functions.core.runtime import Patience

InstanceTypes = Annotated[
    str | None, Query(max_length=1024, description="Types of which to say where they are offered, parted by commas.")
]


def list_regions() -> RegionList:
    """List the deployment's region with what it supports; clusters of another one are refused."""
    asking, region = Asking(), settings.current().region
    found = asking.ask("availability_zones", zones.describe)
    return RegionList(
        source="shipped" if found is None else "run_time",
        unknown=asking.unknown,
        regions=[region_view(region, found)],
    )


def list_availability_zones(instance_types: InstanceTypes = None) -> ZoneList:
    """List the region's zones, and which of some instance types each offers."""
    asking, types = Asking(), named_types(instance_types)
    found = asking.ask("availability_zones", zones.describe)
    bare = [kind.removeprefix("ml.") for kind in types]
    offered = asking.ask("offered", lambda: offerings.zones_by_type(bare, Patience.EDGE)) if bare and found else None
    return ZoneList(
        source="run_time",
        unknown=asking.unknown,
        region=settings.current().region,
        availability_zones=None if found is None else [zone_view(zone, types, offered) for zone in found],
    )
