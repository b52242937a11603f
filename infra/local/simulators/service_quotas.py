"""Service Quotas: what the account may have of SageMaker's HyperPod, the same values that CreateCluster judges by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, Final

from infra.local.simulators.hyperpod import quotas
from infra.local.simulators.paging import page
from infra.local.simulators.service import JsonObject, Service, ServiceError, ServiceRequest, unverified

if TYPE_CHECKING:
    from infra.local.simulators.hyperpod.records import HyperPodRecords

SAGEMAKER: Final = "sagemaker"


class ServiceQuotas(Service):
    """Service Quotas of one account and region."""

    name: ClassVar[str] = "service-quotas"
    scope_name: ClassVar[str] = "servicequotas"

    def __init__(
        self, now: Callable[[], datetime], account_id: str, region: str, hyperpod: Callable[[], HyperPodRecords]
    ) -> None:
        super().__init__(now, account_id, region)
        self.records = None
        self._hyperpod = hyperpod

    @property
    def operations(self) -> Mapping[str, Callable[[JsonObject, ServiceRequest], JsonObject]]:
        """The operations that are simulated."""
        return {"ListServiceQuotas": self._list, "GetServiceQuota": self._get}

    def _list(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        _require_sagemaker(params)
        found = [name for name in quotas.names() if params.get("QuotaCode", quotas.code(name)) == quotas.code(name)]
        token, size = params.get("NextToken"), params.get("MaxResults")
        chosen, following = page(sorted(found), token=token, size=size, invalid="InvalidPaginationTokenException")
        return {"Quotas": [self._quota(name) for name in chosen], "NextToken": following}

    def _get(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        _require_sagemaker(params)
        for name in quotas.names():
            if quotas.code(name) == params["QuotaCode"]:
                return {"Quota": self._quota(name)}
        raise ServiceError("NoSuchResourceException", f"The quota {params['QuotaCode']} does not exist.")

    def _quota(self, name: str) -> JsonObject:
        code = quotas.code(name)
        return {
            "ServiceCode": SAGEMAKER,
            "ServiceName": "Amazon SageMaker",
            "QuotaArn": f"arn:aws:servicequotas:{self.region}:{self.account_id}:{SAGEMAKER}/{code}",
            "QuotaCode": code,
            "QuotaName": name,
            "Value": quotas.value(self._hyperpod(), name),
            "Unit": "None",
            "Adjustable": True,
            "GlobalQuota": False,
            "QuotaAppliedAtLevel": "ACCOUNT",
        }


def _require_sagemaker(params: JsonObject) -> None:
    if params["ServiceCode"] != SAGEMAKER:
        raise unverified(f"quotas of {params['ServiceCode']}")
    if params.get("ContextId") or params.get("QuotaAppliedAtLevel", "ACCOUNT") == "RESOURCE":
        raise unverified("quotas of single resources")
