"""What callers send and get about the network of instance groups: zones, subnets, interfaces.

`GroupNetwork` and `ClusterNetwork` are the network's part of an instance group and of a HyperPod cluster; the models of
the clusters domain inherit them.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

SUBNET_ID_PATTERN: Final = r"^subnet-[0-9a-f]{8,17}$"
# What an IPv4 subnet may be. Source: Amazon VPC user guide, "Subnet CIDR blocks", read 2026-11-29.
LARGEST_PREFIX: Final = 16
SMALLEST_PREFIX: Final = 28

NetworkInterface = Literal["efa", "efa_only"]
SubnetKind = Literal["zone", "dedicated", "given"]
ZoneName = Annotated[str, Field(min_length=1, max_length=32, description="Name or id of an availability zone.")]
SubnetId = Annotated[
    str, Field(pattern=SUBNET_ID_PATTERN, description="A subnet of the cluster's VPC, used as it is and never changed.")
]
SubnetPrefix = Annotated[int, Field(ge=LARGEST_PREFIX, le=SMALLEST_PREFIX)]


class GroupNetwork(BaseModel):
    """Where the nodes of an instance group get their addresses.

    Without `subnet_id` and `dedicated_subnet` a group shares the compute subnet of its zone.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    availability_zone: ZoneName | None = None
    subnet_id: SubnetId | None = None
    dedicated_subnet: bool = Field(
        default=False, description="A subnet of the group's own; it outlives the group, for a successor of its name."
    )
    subnet_prefix: SubnetPrefix | None = Field(
        default=None, description="Size of the dedicated subnet; left out, at least a /20 in which the group fits."
    )
    network_interface: NetworkInterface | None = Field(
        default=None, description="`efa_only`: EFA interfaces without addresses, which spares the subnet's."
    )

    @field_validator("dedicated_subnet")
    @classmethod
    def _not_beside_a_given_one(cls, dedicated: bool, info: ValidationInfo) -> bool:
        if dedicated and info.data.get("subnet_id"):
            raise PydanticCustomError(
                "subnet_choice",
                "has to be left out beside subnet_id: nodes stand either in that subnet or in a new one",
            )
        return dedicated

    @field_validator("subnet_prefix")
    @classmethod
    def _of_a_dedicated_one(cls, prefix: int | None, info: ValidationInfo) -> int | None:
        if prefix is not None and info.data.get("dedicated_subnet") is False:
            raise PydanticCustomError(
                "subnet_prefix",
                "goes with dedicated_subnet: true; subnet_prefix beside instance_groups sizes the zones' subnets",
            )
        return prefix


class ClusterNetwork(BaseModel):
    """The network's part of a HyperPod cluster."""

    model_config = ConfigDict(extra="forbid", strict=True)

    subnet_prefix: SubnetPrefix | None = Field(
        default=None, description="Size of the compute subnets that are made for zones; 20 when left out."
    )


class ComputeSubnet(BaseModel):
    """A subnet in which nodes stand or may stand; a dedicated one is kept for the group it was made for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    subnet_id: str
    kind: SubnetKind
    availability_zone: str
    availability_zone_id: str
    cidr: str
    free_addresses: int
    dedicated_to: str | None = None
    instance_groups: list[str]


class ComputeSubnetPage(BaseModel):
    """One page of a cluster's compute subnets, in the order of their ids."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    subnets: list[ComputeSubnet]
    next_token: str | None = None
