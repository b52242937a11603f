"""What callers get about address ranges."""

from __future__ import annotations

from pydantic import Field

from functions.catalog.answers.models import CatalogAnswer, Record


class NetworkSuggestion(Record):
    """A free range for a VPC, and all ranges that would be made of it."""

    vpc_cidr: str
    public_subnet_cidrs: list[str]
    control_plane_subnet_cidrs: list[str]
    compute_subnet_cidrs: list[str] = Field(description="Where compute subnets are made, as instance groups need them.")
    service_cidr: str = Field(description="The addresses of Kubernetes services, which only the cluster itself uses.")


class CidrSuggestion(CatalogAnswer):
    """A suggestion, null when no range is free (`free` false) or when EC2 did not say what is in use (`free` null)."""

    prefix: int
    free: bool | None
    suggestion: NetworkSuggestion | None
    ranges_in_use: list[str] | None = Field(description="The ranges of VPCs and of their peers that were looked at.")
