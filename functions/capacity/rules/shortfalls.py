"""Which groups are short of instances, why, and whether waiting can help."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from functions.core.failures import CAPACITY, recognise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from functions.core.cluster import DesiredGroup

# HyperPod tries again every few minutes: what it has not reported for this long is over.
RECENT: Final = timedelta(minutes=15)
# A launch that fails for another reason than capacity can still come right for this long.
# Source: observed; operators are told to give a node in Failure an hour before they call it stuck.
PATIENCE: Final = timedelta(minutes=60)
# How many of the groups in want of instances are explained at each look: each explanation is a call.
EXPLAINED: Final = 3


@dataclass(frozen=True)
class Shortfall:
    """Why a group is short of instances, in HyperPod's own words; `instance_id` is empty before there is one."""

    group: DesiredGroup
    words: str
    instance_id: str = ""

    @property
    def lacks_capacity(self) -> bool:
        """Say whether there is no capacity at present, which HyperPod itself waits for."""
        known = recognise(self.words)
        return known is not None and known.code == CAPACITY

    @property
    def needs_a_quota(self) -> bool:
        """Say whether a quota is in the way, which nothing but an increase removes."""
        known = recognise(self.words)
        return known is not None and known.quota


def short_groups(groups: Sequence[DesiredGroup], have: Mapping[str, int]) -> list[DesiredGroup]:
    """Give the groups that have fewer instances than were asked for."""
    return [group for group in groups if have.get(group.name, 0) < group.instance_count]


def rolled_back(groups: Sequence[DesiredGroup], targets: Mapping[str, int]) -> DesiredGroup | None:
    """Find a group that HyperPod gave up because its minimum did not come within three hours.

    Source: SageMaker developer guide, "Continuous provisioning": such a group goes back to no instances.
    """
    return next((group for group in groups if group.min_instance_count and not targets.get(group.name)), None)
