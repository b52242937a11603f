"""The route that reads quotas with their use.

Annotations are evaluated here, because Powertools reads them to validate.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.aws import hyperpod, network, quotas
from functions.capacity.preflight.models import Quota
from functions.capacity.preflight.rules.quotas import TOTALS, used_by
from functions.catalog.answers.routes import Asking, OutOfTime
from functions.catalog.instance_types.rules import named_types
from functions.catalog.quotas import rules
from functions.catalog.quotas.models import QuotaList, QuotaView
from functions.core.runtime import Patience

InstanceTypes = Annotated[
    str | None, Query(max_length=1024, description="Types whose quotas to read as well, parted by commas.")
]
_NOBODY = ""


def list_quotas(instance_types: InstanceTypes = None) -> QuotaList:
    """List the quotas by which a cluster is judged, with their use."""
    asking, types = Asking(), named_types(instance_types)
    names = rules.usage_names(types)
    found = asking.ask("quotas.sagemaker.value", lambda: _values(names, asking))
    used = asking.ask("quotas.sagemaker.used", lambda: _used(asking))
    listed = rules.usage_views(types, found, used)
    if found is not None:
        _note_missing(asking, listed)
    return QuotaList(source="run_time", quotas=listed + _of_networks(asking), unknown=asking.unknown)


def _note_missing(asking: Asking, listed: Iterable[QuotaView]) -> None:
    for each in listed:
        if each.value is None:
            reason = f"Service Quotas has no quota '{each.name}' for this account"
            asking.note(
                f"quotas.{each.service}.value",
                reason,
                "Request it in Service Quotas; AWS Support adds a quota that is not listed.",
            )


def _values(names: list[str], asking: Asking) -> Mapping[str, Quota]:
    return _in_time(lambda: quotas.read(names, TOTALS, asking.in_time, Patience.EDGE))


def _in_time(read: Callable[[], Mapping[str, Quota]]) -> Mapping[str, Quota]:
    try:
        return read()
    except quotas.Unfinished:
        raise OutOfTime from None


def _used(asking: Asking) -> Mapping[str, int]:
    """Count instances by the quota they count against: a call for each HyperPod cluster, while there is time."""
    groups = hyperpod.groups_of_others(_NOBODY, asking.in_time, Patience.EDGE)
    if groups is None:
        raise OutOfTime
    return used_by((group.types, group.capacity_type, group.target) for group in groups)


def _of_networks(asking: Asking) -> list[QuotaView]:
    values: dict[str, float] = {}
    answered: list[str] = []
    for service in dict.fromkeys(quota.service for quota in rules.OF_NETWORKS):
        codes = {quota.code: service for quota in rules.OF_NETWORKS if quota.service == service}
        found = asking.ask(f"quotas.{service}.value", partial(_applied, codes, asking))
        if found is not None:
            answered.append(service)
            values |= {code: quota.value for code, quota in found.items()}
    listed = [_of_network(quota, values.get(quota.code), asking) for quota in rules.OF_NETWORKS]
    _note_missing(asking, (each for each in listed if each.service in answered))
    return listed


def _applied(codes: Mapping[str, str], asking: Asking) -> Mapping[str, Quota]:
    return _in_time(lambda: quotas.applied(codes, asking.in_time, Patience.EDGE))


def _of_network(quota: rules.NetworkQuota, value: float | None, asking: Asking) -> QuotaView:
    used = asking.ask(f"quotas.{quota.part}.used", lambda: _count(quota, asking))
    return rules.view(quota.name, quota.service, quota.code, value, used)


def _count(quota: rules.NetworkQuota, asking: Asking) -> int:
    if quota == rules.VPCS:
        return network.count_vpcs(Patience.EDGE)
    if quota == rules.ADDRESSES:
        return network.count_elastic_ips(Patience.EDGE)
    count = network.count_interfaces(asking.in_time, Patience.EDGE)
    if count is None:
        raise OutOfTime
    return count
