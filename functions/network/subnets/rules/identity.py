"""By which name and tags a compute subnet of ours, and its route table, are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from functions.network.subnets.models import RouteTable, Subnet
    from functions.network.subnets.rules.needs import Need

KIND_TAG: Final = "instantstart:compute-subnet"
GROUP_TAG: Final = "instantstart:instance-group"
CLUSTER_TAG: Final = "instantstart:cluster"
OPERATION_TAG: Final = "instantstart:operation"
# By this tag load balancer controllers find the subnets of internal load balancers.
# Source: Amazon EKS user guide, "Route TCP and UDP traffic with Network Load Balancers", read 2026-11-29.
LOAD_BALANCER_ROLE: Final = {"kubernetes.io/role/internal-elb": "1"}


@dataclass(frozen=True)
class Identity:
    """What a subnet of ours is called and tagged with; what does not change from one operation to the next."""

    name: str
    zone: str
    kind_tags: Mapping[str, str]
    ours: Mapping[str, str]

    @property
    def table_name(self) -> str:
        """Give the name of its route table."""
        return f"{self.name}-rt"

    @property
    def subnet_tags(self) -> dict[str, str]:
        """Give the tags that the subnet has to have."""
        return {**self.ours, **self.kind_tags, **LOAD_BALANCER_ROLE, "Name": self.name}

    @property
    def table_tags(self) -> dict[str, str]:
        """Give the tags that the route table has to have."""
        return {**self.ours, **self.kind_tags, "Name": self.table_name}

    def subnets(self, found: Iterable[Subnet]) -> list[Subnet]:
        """Pick the subnets that are this one, by their ids; when racing callers made several, the first one counts."""
        return sorted((each for each in found if self._is_this(each)), key=lambda subnet: subnet.subnet_id)

    def tables(self, found: Iterable[RouteTable]) -> list[RouteTable]:
        """Pick the route tables that are this one's, by their ids."""
        named = [each for each in found if each.tags.get("Name") == self.table_name and _has(each.tags, self.ours)]
        return sorted(named, key=lambda table: table.route_table_id)

    def foreign(self, found: Iterable[Subnet]) -> Subnet | None:
        """Find a subnet that bears the name and is no cluster's of ours: in a shared VPC each has one of that name."""
        named = [each for each in found if self._named(each) and not _has(each.tags, self.ours)]
        return next((each for each in named if not self._anothers(each)), None)

    def _anothers(self, subnet: Subnet) -> bool:
        managed = {key: value for key, value in self.ours.items() if key != CLUSTER_TAG}
        return KIND_TAG in subnet.tags and CLUSTER_TAG in subnet.tags and _has(subnet.tags, managed)

    def _is_this(self, subnet: Subnet) -> bool:
        known = _has(subnet.tags, self.kind_tags) or self._named(subnet)
        return subnet.zone == self.zone and _has(subnet.tags, self.ours) and known

    def _named(self, subnet: Subnet) -> bool:
        return subnet.zone == self.zone and subnet.tags.get("Name") == self.name


def identity_of(need: Need, zone: str, ours: Mapping[str, str]) -> Identity:
    """Give the identity of the subnet that a need asks for; `ours` are the tags of all that is the cluster's."""
    if need.owner:
        kind = {KIND_TAG: "dedicated", GROUP_TAG: need.owner}
        return Identity(f"hp-compute-{zone}-{need.owner}", zone, kind, ours)
    return Identity(f"hp-compute-{zone}", zone, {KIND_TAG: "zone"}, ours)


def missing_tags(wanted: Mapping[str, str], actual: Mapping[str, str]) -> dict[str, str]:
    """Give the tags that are absent or have another value."""
    return {key: value for key, value in wanted.items() if actual.get(key) != value}


def superfluous(extras: Sequence[Subnet], operation_id: str, capacity_of: Mapping[str, int]) -> list[Subnet]:
    """Pick the subnets that an operation made beside the one that counts and that nothing uses yet."""
    return [
        extra
        for extra in extras
        if extra.tags.get(OPERATION_TAG) == operation_id and extra.available_addresses == capacity_of[extra.subnet_id]
    ]


def _has(tags: Mapping[str, str], wanted: Mapping[str, str]) -> bool:
    return all(tags.get(key) == value for key, value in wanted.items())
