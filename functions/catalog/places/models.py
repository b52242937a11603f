"""What callers get about regions and availability zones."""

from __future__ import annotations

from pydantic import Field

from functions.catalog.answers.models import CatalogAnswer, Record


class RegionView(Record):
    """A region in which clusters can be made; null is what is not known of it."""

    name: str
    hyperpod: bool | None = Field(description="Whether AWS lists prices of HyperPod there; null where that is open.")
    availability_zones: list[str] | None
    control_plane_zones: list[str] | None = Field(description="The zones in which EKS places control planes.")


class RegionList(CatalogAnswer):
    """The regions of this deployment: its own, and no other."""

    regions: list[RegionView]


class Offered(Record):
    """Whether a zone offers an instance type; null when EC2 did not say, or lists the type in no zone of the region."""

    instance_type: str
    offered: bool | None


class ZoneView(Record):
    """An availability zone; its name is the account's own, its id is everybody's."""

    name: str
    id: str
    state: str
    control_plane: bool = Field(description="Whether EKS places control planes there; nodes may stand there anyhow.")
    instance_types: list[Offered]


class ZoneList(CatalogAnswer):
    """The region's availability zones, null when EC2 did not name them."""

    region: str
    availability_zones: list[ZoneView] | None
