"""The route that reads quotas with their use.

Annotations are evaluated here, because Powertools reads them to validate.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.aws import hyperpod, network, quotas
from functions.capacity.preflight.models import Quota
from functions.capacity.preflight.rules.quotas import used_by
from functions.catalog.answers.routes import Asking
from functions.catalog.instance_types.rules import named_types
from functions.catalog.quotas import rules
from functions.catalog.quotas.models import QuotaList, QuotaView
from functions.core.deadlines import TimeOver
from functions.core.runtime import Patience

InstanceTypes = Annotated[
    str | None, Query(max_length=1024, description="Types whose quotas to read as well, parted by commas.")
]
_NOBODY = ""


def list_quotas(instance_types: InstanceTypes = None) -> QuotaList:
    """List the quotas by which a cluster is judged, with their use."""
    asking, types = Asking(), named_types(instance_types)
    networks = _of_networks(asking)
    totals = _values(asking, rules.SAGEMAKER, rules.TOTALS)
    used = asking.ask("quotas.sagemaker.used", lambda: _used(asking))
    listed = [*_of_types(asking, types, used), *rules.total_views(totals, used), *networks]
    return QuotaList(source="run_time", quotas=listed, unknown=asking.unknown)


def _of_types(asking: Asking, types: Sequence[str], used: Mapping[str, int] | None) -> list[QuotaView]:
    """Read the quotas on types, last of all: to learn the code of a name can take all the time there is."""
    names = rules.usage_names(types)
    if not names:
        return []
    part = "quotas.cluster_usage.value"
    found = asking.ask(part, lambda: quotas.read(names, [], asking.in_time, Patience.EDGE))
    return [rules.usage_view(name, _noted(asking, part, found, name, name), used) for name in names]


def _values(asking: Asking, service: str, names: Mapping[str, str]) -> dict[str, Quota | None]:
    """Read quotas of a service by their codes; None for one that is not known."""
    part, codes = f"quotas.{service}.value", dict.fromkeys(names, service)
    found = asking.ask(part, lambda: quotas.applied(codes, asking.in_time, Patience.EDGE))
    return {code: _noted(asking, part, found, code, name) for code, name in names.items()}


def _noted(asking: Asking, part: str, found: Mapping[str, Quota] | None, key: str, name: str) -> Quota | None:
    """Give what was found, and note what Service Quotas does not have, if it answered."""
    quota = (found or {}).get(key)
    if found is not None and quota is None:
        remedy = "Request it in Service Quotas; AWS Support adds a quota that is not listed."
        asking.note(part, f"Service Quotas has no quota '{name}' for this account", remedy)
    return quota


def _used(asking: Asking) -> Mapping[str, int]:
    """Count instances by the quota they count against: a call for each HyperPod cluster, while there is time."""
    groups = hyperpod.groups_of_others(_NOBODY, asking.in_time, Patience.EDGE)
    if groups is None:
        raise TimeOver
    return used_by((group.types, group.capacity_type, group.target) for group in groups)


def _of_networks(asking: Asking) -> list[QuotaView]:
    values: dict[str, Quota | None] = {}
    for service in dict.fromkeys(quota.service for quota in rules.OF_NETWORKS):
        names = {quota.code: quota.name for quota in rules.OF_NETWORKS if quota.service == service}
        values |= _values(asking, service, names)
    return [_of_network(quota, values[quota.code], asking) for quota in rules.OF_NETWORKS]


def _of_network(quota: rules.NetworkQuota, found: Quota | None, asking: Asking) -> QuotaView:
    used = asking.ask(f"quotas.{quota.part}.used", lambda: _count(quota, asking))
    return rules.view(quota.name, quota.service, quota.code, found, used)


def _count(quota: rules.NetworkQuota, asking: Asking) -> int:
    if quota == rules.VPCS:
        return network.count_vpcs(Patience.EDGE)
    if quota == rules.ADDRESSES:
        return network.count_elastic_ips(Patience.EDGE)
    count = network.count_interfaces(asking.in_time, Patience.EDGE)
    if count is None:
        raise TimeOver
    return count
