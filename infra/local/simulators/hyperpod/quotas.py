"""SageMaker's quotas on HyperPod: what CreateCluster and UpdateCluster judge by, and what Service Quotas lists.

Names and codes: facts 1.10; a code that is not known there is made up from the name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from infra.local.simulators.instance_facts import instance_facts
from infra.local.simulators.paging import identifier
from infra.local.simulators.service import ServiceError

if TYPE_CHECKING:
    from infra.local.simulators.hyperpod.records import GroupRecord, HyperPodRecords

PER_CLUSTER: Final = "Maximum number of instances allowed per SageMaker HyperPod cluster"
ALL_CLUSTERS: Final = "Total number of instances allowed across SageMaker HyperPod clusters"
ALL_SPOT: Final = "Total number of Spot instances allowed across SageMaker HyperPod clusters"
VOLUME: Final = "Maximum size of EBS volume in GB for a SageMaker HyperPod cluster instance"

# An account whose quotas were raised; AWS's own defaults (0 to 30) let hardly anything be created.
_RAISED: Final = 1_000.0
_GENERAL: Final = {PER_CLUSTER: 6_758.0, ALL_CLUSTERS: 10_000.0, ALL_SPOT: 1_000.0, VOLUME: 1_024.0}
_CODES: Final = {
    "ml.p4d.24xlarge for cluster usage": "L-47E0BC8F",
    "ml.p4de.24xlarge for cluster usage": "L-BEF3120E",
    "ml.p5.48xlarge for cluster usage": "L-8762A75F",
    "ml.p5e.48xlarge for cluster usage": "L-FD431820",
    "ml.p5en.48xlarge for cluster usage": "L-6EF3AE05",
    "ml.p6-b200.48xlarge for cluster usage": "L-44097F05",
    "ml.p6-b300.48xlarge for cluster usage": "L-9883FE68",
    "ml.p6e-gb200.36xlarge for cluster usage": "L-5DB70460",
    "ml.g6e.12xlarge for cluster usage": "L-A15DF696",
    "ml.g6e.48xlarge for cluster usage": "L-177AF1AD",
    "ml.p5.48xlarge for cluster spot instance usage": "L-F742E2D7",
    PER_CLUSTER: "L-2CE978FC",
    ALL_CLUSTERS: "L-3308CCC7",
    VOLUME: "L-E13DF72A",
    ALL_SPOT: "L-97A2C724",
}


def on_demand_quota(instance_type: str) -> str:
    """Name the quota on a type's On-Demand instances."""
    return f"{instance_type} for cluster usage"


def spot_quota(instance_type: str) -> str:
    """Name the quota on a type's Spot instances."""
    return f"{instance_type} for cluster spot instance usage"


def names() -> Iterator[str]:
    """Every quota."""
    for instance_type in instance_facts():
        yield on_demand_quota(instance_type)
        yield spot_quota(instance_type)
    yield from _GENERAL


def code(name: str) -> str:
    """The code that Service Quotas knows a quota by."""
    return _CODES.get(name) or f"L-{identifier(f'quota:{name}', 8).upper()}"


def value(records: HyperPodRecords, name: str) -> float:
    """How much the account may have."""
    return records.quotas.get(name, _GENERAL.get(name, _RAISED))


@dataclass(frozen=True)
class Wanted:
    """What a group will ask for once a request is accepted."""

    instance_types: Sequence[str]
    count: int
    spot: bool
    reserved: bool


def judge(records: HyperPodRecords, cluster: str, before: Iterable[GroupRecord], wanted: Iterable[Wanted]) -> None:
    """Refuse groups that exceed a quota, together; `before` are the cluster's groups that they take the place of.

    A training plan's instances have quotas of their own, which are not simulated.
    """
    usage = _usage(records, cluster)
    delta = Counter[str]()
    for group in before:
        delta.subtract(_counted(_wanted(group), cluster))
    for want in wanted:
        delta.update(_counted(want, cluster))
    for name, count in delta.items():
        limit = value(records, _quota_of(name))
        if count > 0 and usage[name] + count > limit:
            raise _exceeded(_quota_of(name), limit, usage[name], count)


def judge_volume(records: HyperPodRecords, gigabytes: int) -> None:
    """Refuse a volume that is too large."""
    limit = value(records, VOLUME)
    if gigabytes > limit:
        raise _exceeded(VOLUME, limit, 0, gigabytes, "GB")


def _usage(records: HyperPodRecords, cluster: str) -> Counter[str]:
    usage = Counter[str]()
    for record in records.clusters.values():
        for group in record.groups.values():
            usage.update(_counted(_wanted(group), record.name))
    return usage


def _wanted(group: GroupRecord) -> Wanted:
    return Wanted(group.instance_types, max(group.target, len(group.nodes)), group.spot, group.plan is not None)


def _counted(want: Wanted, cluster: str) -> Mapping[str, int]:
    """Name what a group counts towards; a flexible one by the type it prefers."""
    kind = want.instance_types[0]
    counted = {f"{PER_CLUSTER}\n{cluster}": want.count, ALL_CLUSTERS: want.count}
    if want.spot:
        counted |= {spot_quota(kind): want.count, ALL_SPOT: want.count}
    elif not want.reserved:
        counted[on_demand_quota(kind)] = want.count
    return counted


def _quota_of(name: str) -> str:
    return name.partition("\n")[0]


def _exceeded(name: str, limit: float, used: int, delta: int, unit: str = "Instances") -> ServiceError:
    """AWS's text for every quota of SageMaker (facts 1.10)."""
    return ServiceError(
        "ResourceLimitExceeded",
        f"The account-level service limit '{name}' is {limit:.0f} {unit}, with current utilization of {used} {unit} and"
        f" a request delta of {delta} {unit}. Please use AWS Service Quotas to request an increase for this quota. If"
        " AWS Service Quotas is not available, contact AWS support to request an increase for this quota.",
    )
