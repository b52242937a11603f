"""What callers send about the address ranges of a new VPC, and which ranges are in use around it."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from functions.core.cluster import ChosenRanges
from functions.network.models import SMALLEST_PREFIX
from functions.network.rules import CHOSEN_PREFIXES, POOLS, SMALLEST_PUBLIC_PREFIX, USED_BY_AWS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# What no machine on the internet has: RFC 1918, and the shared space of RFC 6598 that companies use when it is full.
PRIVATE: Final = (*POOLS, IPv4Network("100.64.0.0/10"))
_SUBNETS: Final = 2


def read_range(value: str) -> IPv4Network:
    """Read a range; refuse what is none, and say which one holds an address that is written in its place."""
    try:
        found = IPv4Network(value)
    except ValueError as error:
        raise _no_range(value, _meant(value)) from error
    if "/" not in value:
        raise _no_range(value, "; its size is missing")
    return found


def check_vpc_range(value: str) -> str:
    """Refuse a range that no VPC of a cluster can have."""
    found = read_range(value)
    if not any(found.subnet_of(each) for each in PRIVATE):
        message = "{value} is not a range of private addresses: it has to lie in one of {private}"
        raise PydanticCustomError("vpc_cidr", message, {"value": value, "private": ", ".join(map(str, PRIVATE))})
    if found.prefixlen not in CHOSEN_PREFIXES:
        message = (
            "{value} is no size for a cluster's VPC: AWS has none larger than a /{largest}, and the subnets do not fit "
            "into one smaller than a /{smallest}"
        )
        said = {"value": value, "largest": CHOSEN_PREFIXES[0], "smallest": CHOSEN_PREFIXES[-1]}
        raise PydanticCustomError("vpc_cidr", message, said)
    if found.overlaps(USED_BY_AWS):
        message = "{value} overlaps {used}, which SageMaker and other services of AWS use themselves"
        raise PydanticCustomError("vpc_cidr", message, {"value": value, "used": str(USED_BY_AWS)})
    return str(found)


def check_range(value: str) -> str:
    """Refuse what is no IPv4 range."""
    return str(read_range(value))


VpcCidr = Annotated[str, AfterValidator(check_vpc_range), Field(examples=["10.20.0.0/16"])]
Cidr = Annotated[str, AfterValidator(check_range), Field(examples=["10.20.16.0/20"])]
TwoCidrs = Annotated[list[Cidr], Field(min_length=_SUBNETS, max_length=_SUBNETS)]


class NetworkRanges(BaseModel):
    """Address ranges of a new VPC, for networks that are planned elsewhere; what is left out is laid out by itself."""

    model_config = ConfigDict(extra="forbid", strict=True)

    vpc_cidr: VpcCidr | None = Field(
        default=None,
        description="The range of the new VPC, a /16 to /25 that overlaps no VPC of the region and no peer of one; "
        "in one smaller than a /19 the size of compute subnets has to be said, by compute_cidr or subnet_prefix. Left "
        "out, a range is chosen.",
    )
    public_subnet_cidrs: TwoCidrs | None = Field(
        default=None, description="Two ranges of vpc_cidr for public subnets, /27 or larger."
    )
    control_plane_subnet_cidrs: TwoCidrs | None = Field(
        default=None, description="Two ranges of vpc_cidr for the control plane's network interfaces, /28 or larger."
    )
    compute_cidr: Cidr | None = Field(
        default=None,
        description="The part of vpc_cidr in which compute subnets are made, one per zone: a /20 of it each, or all of "
        "it when it is smaller. Left out, they are made wherever there is room.",
    )

    @field_validator("vpc_cidr")
    @classmethod
    def _of_a_new_vpc(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value is not None and info.data.get("vpc_id") is not None:
            message = "has to be left out beside vpc_id: that VPC has its ranges"
            raise PydanticCustomError("ranges_of_vpc", message)
        return value

    @field_validator("public_subnet_cidrs", "control_plane_subnet_cidrs", "compute_cidr")
    @classmethod
    def _lie_in_the_vpc(cls, value: list[str] | str | None, info: ValidationInfo) -> list[str] | str | None:
        if value is None or "vpc_cidr" not in info.data:
            return value
        if info.data["vpc_cidr"] is None:
            raise PydanticCustomError("range_without_vpc", "goes with vpc_cidr, whose part it is")
        _check_parts([value] if isinstance(value, str) else value, IPv4Network(info.data["vpc_cidr"]))
        return value

    @field_validator("public_subnet_cidrs", "control_plane_subnet_cidrs", "compute_cidr")
    @classmethod
    def _large_enough(cls, value: list[str] | str | None, info: ValidationInfo) -> list[str] | str | None:
        smallest = SMALLEST_PUBLIC_PREFIX if info.field_name == "public_subnet_cidrs" else SMALLEST_PREFIX
        for each in [value] if isinstance(value, str) else value or []:
            if IPv4Network(each).prefixlen > smallest:
                message = "{value} is too small: such a subnet has to be a /{smallest} or larger"
                raise PydanticCustomError("subnet_size", message, {"value": each, "smallest": smallest})
        return value

    @field_validator("control_plane_subnet_cidrs", "compute_cidr")
    @classmethod
    def _keep_apart(cls, value: list[str] | str | None, info: ValidationInfo) -> list[str] | str | None:
        before = [*(info.data.get("public_subnet_cidrs") or []), *(info.data.get("control_plane_subnet_cidrs") or [])]
        listed = [value] if isinstance(value, str) else value or []
        _check_apart(listed, before)
        return value

    @property
    def chosen(self) -> ChosenRanges | None:
        """Give the ranges as they are kept with the cluster; None when none was chosen."""
        if self.vpc_cidr is None:
            return None
        return ChosenRanges(
            vpc_cidr=self.vpc_cidr,
            public_subnet_cidrs=self.public_subnet_cidrs or [],
            control_plane_subnet_cidrs=self.control_plane_subnet_cidrs or [],
            compute_cidr=self.compute_cidr,
        )


@dataclass(frozen=True)
class VpcRanges:
    """The ranges of one VPC of the region, secondary ones too, with its tags."""

    vpc_id: str
    ranges: Sequence[IPv4Network]
    tags: Mapping[str, str]


@dataclass(frozen=True)
class RangesInUse:
    """What a new VPC has to keep clear of: the region's VPCs, and both sides of their peerings (of no known tags)."""

    vpcs: Sequence[VpcRanges]
    peers: Sequence[VpcRanges]

    @property
    def all(self) -> list[IPv4Network]:
        """List all of them, whosoever they are."""
        return [used for vpc in (*self.vpcs, *self.peers) for used in vpc.ranges]


def _no_range(value: str, more: str) -> PydanticCustomError:
    message = "{value} is not an IPv4 range, such as 10.20.0.0/16{more}"
    return PydanticCustomError("cidr", message, {"value": value, "more": more})


def _check_parts(values: Sequence[str], vpc: IPv4Network) -> None:
    for place, each in enumerate(values):
        if not IPv4Network(each).subnet_of(vpc):
            message = "{value} does not lie in vpc_cidr, {vpc}"
            raise PydanticCustomError("range_outside_vpc", message, {"value": each, "vpc": str(vpc)})
        _check_apart([each], values[:place])


def _check_apart(values: Sequence[str], others: Sequence[str]) -> None:
    for each in values:
        met = next((other for other in others if IPv4Network(each).overlaps(IPv4Network(other))), None)
        if met is not None:
            message = "{value} overlaps {other}, which is another subnet's"
            raise PydanticCustomError("ranges_overlap", message, {"value": each, "other": met})


def _meant(value: str) -> str:
    try:
        return f"; did you mean {IPv4Network(value, strict=False)}?"
    except ValueError:
        return ""
