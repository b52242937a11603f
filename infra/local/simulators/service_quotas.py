"""Service Quotas: what the account may have, the same values that creation is judged by.

SageMaker's HyperPod quotas are the HyperPod simulator's; those of networks are kept here, and `set_quota` changes them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, Final

from infra.local.simulators import network_quotas
from infra.local.simulators.hyperpod import quotas
from infra.local.simulators.paging import page
from infra.local.simulators.service import JsonObject, Service, ServiceError, ServiceRequest, unverified

if TYPE_CHECKING:
    from infra.local.simulators.hyperpod.records import HyperPodRecords
    from infra.local.simulators.network_quotas import NetworkQuota

SAGEMAKER: Final = "sagemaker"


class ServiceQuotas(Service):
    """Service Quotas of one account and region."""

    name: ClassVar[str] = "service-quotas"
    scope_name: ClassVar[str] = "servicequotas"
    records: dict[str, float]
    """Values of networks' quotas that are not the default, by code."""

    def __init__(
        self, now: Callable[[], datetime], account_id: str, region: str, hyperpod: Callable[[], HyperPodRecords]
    ) -> None:
        super().__init__(now, account_id, region)
        self.records = {}
        self._hyperpod = hyperpod

    def set_quota(self, name: str, value: int) -> None:
        """Set a quota on networks by its name, such as `VPCs per Region`; HyperPod's are set by its conditions."""
        if name not in network_quotas.BY_NAME:
            raise ValueError(f"no quota is named {name!r}; infra/local/simulators/network_quotas.py names them")
        self.records[network_quotas.BY_NAME[name].code] = float(value)

    def value_of(self, quota: NetworkQuota) -> float:
        """How much of a network's resource the account may have."""
        return self.records.get(quota.code, quota.default)

    @property
    def operations(self) -> Mapping[str, Callable[[JsonObject, ServiceRequest], JsonObject]]:
        """The operations that are simulated."""
        return {"ListServiceQuotas": self._list, "GetServiceQuota": self._get}

    def _list(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        _refuse_contexts(params)
        if params["ServiceCode"] != SAGEMAKER:
            raise unverified(f"a list of the quotas of {params['ServiceCode']}")
        found = [name for name in quotas.names() if params.get("QuotaCode", quotas.code(name)) == quotas.code(name)]
        token, size = params.get("NextToken"), params.get("MaxResults")
        chosen, following = page(sorted(found), token=token, size=size, invalid="InvalidPaginationTokenException")
        return {"Quotas": [self._of_sagemaker(name) for name in chosen], "NextToken": following}

    def _get(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        _refuse_contexts(params)
        service, code = params["ServiceCode"], params["QuotaCode"]
        if service in network_quotas.SERVICES:
            return {"Quota": self._of_network(service, code)}
        if service != SAGEMAKER:
            raise unverified(f"quotas of {service}")
        for name in quotas.names():
            if quotas.code(name) == code:
                return {"Quota": self._of_sagemaker(name)}
        raise ServiceError("NoSuchResourceException", f"The quota {code} does not exist.")

    def _of_sagemaker(self, name: str) -> JsonObject:
        value = quotas.value(self._hyperpod(), name)
        return self._quota(SAGEMAKER, "Amazon SageMaker", quotas.code(name), name, value)

    def _of_network(self, service: str, code: str) -> JsonObject:
        quota = network_quotas.BY_CODE.get(code)
        if quota is None or quota.service != service:
            raise unverified(f"the quota {code} of {service}")
        return self._quota(service, quota.service_name, code, quota.name, self.value_of(quota))

    def _quota(self, service: str, service_name: str, code: str, name: str, value: float) -> JsonObject:
        return {
            "ServiceCode": service,
            "ServiceName": service_name,
            "QuotaArn": f"arn:aws:servicequotas:{self.region}:{self.account_id}:{service}/{code}",
            "QuotaCode": code,
            "QuotaName": name,
            "Value": value,
            "Unit": "None",
            "Adjustable": True,
            "GlobalQuota": False,
            "QuotaAppliedAtLevel": "ACCOUNT",
        }


def _refuse_contexts(params: JsonObject) -> None:
    if params.get("ContextId") or params.get("QuotaAppliedAtLevel", "ACCOUNT") == "RESOURCE":
        raise unverified("quotas of single resources")
