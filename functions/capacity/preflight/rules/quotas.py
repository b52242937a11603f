"""Whether the account's quotas allow the instances that all groups of a request ask for together.

Source: AWS General Reference, "Amazon SageMaker AI endpoints and quotas": each type has a quota for its use in
clusters, and another one for its use as Spot in clusters. A training plan's instances are counted by the plan.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from functions.core.errors import QuotaExceeded
from functions.core.findings import Finding, Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from functions.capacity.preflight.models import Facts, Placed, Quota

QUOTA: Final = "cluster_usage_quota"
# Quotas on all instances together, by code: of one cluster, of all clusters, of all that are Spot.
PER_CLUSTER: Final = "L-2CE978FC"
ALL_CLUSTERS: Final = "L-3308CCC7"
ALL_SPOT: Final = "L-97A2C724"
TOTALS: Final = (PER_CLUSTER, ALL_CLUSTERS, ALL_SPOT)
_USAGE: Final = {"on_demand": "cluster usage", "spot": "cluster spot instance usage"}


def quota_name(instance_type: str, capacity_type: str | None) -> str | None:
    """Name the quota that instances count against; None for those of a training plan."""
    usage = _USAGE.get(capacity_type or "on_demand")
    return f"{instance_type} for {usage}" if usage else None


def names_of(placed: Sequence[Placed]) -> list[str]:
    """Name the quotas that a request counts against."""
    named = (quota_name(kind, each.group.capacity_type) for each in placed for kind in each.group.types)
    return list(dict.fromkeys(name for name in named if name))


def used_by(groups: Iterable[tuple[Sequence[str], str, int]]) -> dict[str, int]:
    """Count instances by the quota they count against; groups are their types, capacity type and count.

    Which of several types an instance has is not said of a group: they count as the first, the preferred one.
    """
    used = Counter[str]()
    for types, capacity_type, count in groups:
        name = quota_name(types[0], capacity_type) if types else None
        for key in (name, ALL_CLUSTERS, ALL_SPOT if capacity_type == "spot" else None):
            if key:
                used[key] += count
    return used


def check(placed: Sequence[Placed], facts: Facts) -> Iterator[Finding]:
    """Sum the groups of one type and capacity; of a group of several types one with room is enough."""
    if facts.quotas is None or facts.used is None:
        return
    asked = Counter[str]()
    for each in placed:
        names = [name for kind in each.group.types if (name := quota_name(kind, each.group.capacity_type))]
        if len(names) == 1:
            asked[names[0]] += each.group.instance_count
    for each in placed:
        yield from _check(each, asked, facts.quotas, facts.used)
    yield from _check_totals(placed, facts.quotas, facts.used)


def _check_totals(placed: Sequence[Placed], quotas: Mapping[str, Quota], used: Mapping[str, int]) -> Iterator[Finding]:
    """Sum all groups against what one cluster and all clusters of the account may have."""
    total = sum(each.group.instance_count for each in placed)
    spot = sum(each.group.instance_count for each in placed if each.group.capacity_type == "spot")
    for code, asked in ((PER_CLUSTER, total), (ALL_CLUSTERS, total), (ALL_SPOT, spot)):
        if asked and code in quotas and used.get(code, 0) + asked > quotas[code].value:
            largest = max(placed, key=lambda each: each.group.instance_count)
            yield _finding(largest, quotas[code], used.get(code, 0), asked, Level.ERROR)


def _check(
    each: Placed, asked: Mapping[str, int], quotas: Mapping[str, Quota], used: Mapping[str, int]
) -> Iterator[Finding]:
    names = [name for kind in each.group.types if (name := quota_name(kind, each.group.capacity_type))]
    wanted = {name: asked.get(name, 0) if len(names) == 1 else each.group.instance_count for name in names}
    known = [name for name in names if name in quotas]
    short = [name for name in known if used.get(name, 0) + wanted[name] > quotas[name].value]
    if not short or not each.group.instance_count:
        return
    level = Level.ERROR if len(short) == len(names) else Level.WARNING
    for name in short:
        yield _finding(each, quotas[name], used.get(name, 0), wanted[name], level)


def _finding(each: Placed, quota: Quota, used: int, asked: int, level: Level) -> Finding:
    return Finding(
        check=QUOTA,
        level=level,
        code=QuotaExceeded.code if level is Level.ERROR else None,
        field=each.at("instance_count"),
        message=f"the quota '{quota.name}' ({quota.code}) is {quota.value:g}, in use are {used}, asked for are {asked}",
        resource=quota.code,
        remedy=f"Request an increase of the quota '{quota.name}' (service sagemaker, code {quota.code}) to at least "
        f"{used + asked}, which can take days, or ask for fewer instances or another type.",
    )
