"""Service quotas of SageMaker, found by their names.

A listing has thousands of entries at a hundred a page, so the codes that belong to names are kept while the function is
warm; a value is read anew each time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from functions.capacity.preflight.models import Quota
from functions.core import runtime
from functions.core.failures import code_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from functions.core.clients import ServiceQuota, ServiceQuotasClient
    from functions.core.runtime import Patience

_SERVICE: Final = "sagemaker"
_PAGE: Final = 100
_KEPT_FOR: Final = timedelta(days=1)


@dataclass
class Codes:
    """The codes of quotas by their names, and when they were last listed to the end."""

    by_name: dict[str, str] = field(default_factory=dict)
    listed_at: datetime | None = None

    @property
    def fresh(self) -> bool:
        """Say whether a name that is not among them stands for no quota."""
        return self.listed_at is not None and runtime.now() - self.listed_at < _KEPT_FOR


class Unfinished(Exception):
    """The listing was left before its end, because time was up."""


def read(names: Sequence[str], in_time: Callable[[], bool], patience: Patience | None = None) -> dict[str, Quota]:
    """Read the quotas of these names; one that the account has no quota for is left out.

    `in_time` says before each call whether there is time for it; raises Unfinished when there is not, and botocore's
    ClientError or BotoCoreError.
    """
    client, codes = runtime.client("service-quotas", patience), runtime.kept(Codes)
    if any(name not in codes.by_name for name in names) and not codes.fresh:
        listed = _list(client, codes, in_time)
        return {name: _quota(listed[name]) for name in names if name in listed}
    quotas: dict[str, Quota] = {}
    for name in names:
        if code := codes.by_name.get(name):
            _check(in_time)
            found = _get(client, code)
            if found is not None:
                quotas[name] = _quota(found)
    return quotas


def _list(client: ServiceQuotasClient, codes: Codes, in_time: Callable[[], bool]) -> dict[str, ServiceQuota]:
    """List every quota; the codes stay known."""
    found: dict[str, ServiceQuota] = {}
    page = client.list_service_quotas(ServiceCode=_SERVICE, MaxResults=_PAGE)
    while True:
        for quota in page.get("Quotas", []):
            found[quota["QuotaName"]] = quota
            codes.by_name[quota["QuotaName"]] = quota["QuotaCode"]
        token = page.get("NextToken")
        if not token:
            codes.listed_at = runtime.now()
            return found
        _check(in_time)
        page = client.list_service_quotas(ServiceCode=_SERVICE, MaxResults=_PAGE, NextToken=token)


def _check(in_time: Callable[[], bool]) -> None:
    if not in_time():
        raise Unfinished


def _get(client: ServiceQuotasClient, code: str) -> ServiceQuota | None:
    try:
        return client.get_service_quota(ServiceCode=_SERVICE, QuotaCode=code)["Quota"]
    except ClientError as error:
        if code_of(error) == "NoSuchResourceException":
            return None
        raise


def _quota(found: ServiceQuota) -> Quota:
    return Quota(name=found["QuotaName"], code=found["QuotaCode"], value=found["Value"])
