"""Where a group's next instances fit: its plan, the capacity of the zones, the addresses of the subnets."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from infra.local.simulators.hyperpod.network import Addresses
from infra.local.simulators.hyperpod.records import Phase

if TYPE_CHECKING:
    from infra.local.simulators.hyperpod.plan_records import PlanRecord
    from infra.local.simulators.hyperpod.records import GroupRecord
    from infra.local.simulators.hyperpod.state import HyperPodState
    from infra.local.simulators.neighbours import Subnet

NO_SUBNETS: Final = "No subnets in the capacity AZ"


@dataclass(frozen=True)
class Place:
    """Where the next instance goes."""

    instance_type: str
    subnet: Subnet
    addresses: tuple[str, ...]


@dataclass(frozen=True)
class Shortage:
    """Why there is none; `of_addresses` when capacity is there and only the subnet is full."""

    message: str
    of_addresses: bool = False


class Room:
    """What is left for a group at one moment; an instance on its way out has given its capacity back."""

    def __init__(self, state: HyperPodState, group: GroupRecord, at: datetime) -> None:
        records = state.records
        self._group = group
        self._plan = records.plans[group.plan] if group.plan else None
        self._at = at
        self._pool = records.spot_capacity if group.spot else records.capacity
        self._used: Counter[tuple[str, str]] = Counter()
        for other, node in records.nodes():
            if node.phase is not Phase.LEAVING and not other.plan and other.spot == group.spot:
                self._used[node.instance_type, node.subnet.zone] += 1
        self._missing: str | None = None
        try:
            self._addresses = Addresses(state.host.ec2(), group.subnets, records)
        except ClientError as error:
            self._missing = str(error.response["Error"]["Message"])

    def take(self) -> Place | Shortage:
        """Take one place."""
        if self._missing:
            return Shortage(self._missing)
        if self._plan and (problem := self._problem_of(self._plan)):
            return Shortage(problem)
        full: Subnet | None = None
        for instance_type in self._group.instance_types:
            needed = self._group.addresses_of(instance_type)
            for subnet in self._open_subnets(instance_type):
                if self._addresses.free(subnet) >= needed:
                    self._used[instance_type, subnet.zone] += 1
                    return Place(instance_type, subnet, self._addresses.take(subnet, needed))
                full = full or subnet
        return _no_addresses(full) if full else Shortage(self._no_capacity())

    def _problem_of(self, plan: PlanRecord) -> str | None:
        if not plan.serves(self._at):
            return self._no_capacity()
        if all(subnet.zone != plan.reservation.zone for subnet in self._group.subnets):
            return NO_SUBNETS
        return None

    def _open_subnets(self, instance_type: str) -> list[Subnet]:
        if self._plan:
            return [subnet for subnet in self._group.subnets if subnet.zone == self._plan.reservation.zone]
        return [
            subnet
            for subnet in self._group.subnets
            if self._used[instance_type, subnet.zone] < self._pool.get((instance_type, subnet.zone), sys.maxsize)
        ]

    def _no_capacity(self) -> str:
        """AWS's text (facts 1.12)."""
        kinds = self._group.instance_types
        if len(kinds) > 1:
            return "We currently do not have sufficient capacity for the requested instance type(s). Please try again."
        return f"We currently do not have sufficient capacity to launch new {kinds[0]} instances. Please try again."


def _no_addresses(subnet: Subnet) -> Shortage:
    """EC2's text of InsufficientFreeAddressesInSubnet."""
    return Shortage(
        f"There are not enough free addresses in subnet '{subnet.subnet_id}' to satisfy the requested number of"
        " instances.",
        of_addresses=True,
    )
