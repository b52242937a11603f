"""Service quotas: SageMaker's are found by their names, those of networks by their codes.

A listing of SageMaker's has thousands of entries at a hundred a page, so the codes that belong to names are kept while
the function is warm; a value is read anew each time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from functions.capacity.preflight.models import Quota
from functions.catalog.rules import known_quota_codes
from functions.core import runtime
from functions.core.deadlines import TimeOver
from functions.core.failures import code_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from functions.core.clients import ServiceQuotasClient
    from functions.core.runtime import Patience

_SERVICE: Final = "sagemaker"
_PAGE: Final = 100
_KEPT_FOR: Final = timedelta(days=1)


@dataclass
class Codes:
    """The codes of quotas by their names, and how far the listing of all of them has come."""

    by_name: dict[str, str] = field(default_factory=known_quota_codes)
    next_token: str | None = None
    listed_at: datetime | None = None

    @property
    def fresh(self) -> bool:
        """Say whether a name that is not among them stands for no quota."""
        return self.listed_at is not None and runtime.now() - self.listed_at < _KEPT_FOR


def read(
    names: Sequence[str], codes: Sequence[str], in_time: Callable[[], bool], patience: Patience | None = None
) -> dict[str, Quota]:
    """Read quotas by name and others by code; give them by what they were asked for, leaving out what does not exist.

    `in_time` says before each call whether there is time for it; raises TimeOver when there is not, and botocore's
    ClientError or BotoCoreError.
    """
    client, known = runtime.client("service-quotas", patience), runtime.kept(Codes)
    found = {code: quota for code in codes if (quota := _get(client, code, in_time))}
    missing = [name for name in names if not _read(client, name, known, found, in_time)]
    if missing and not known.fresh:
        _learn(client, known, in_time)
        for name in missing:
            _read(client, name, known, found, in_time)
    return found


def applied(
    services: Mapping[str, str], in_time: Callable[[], bool], patience: Patience | None = None
) -> dict[str, Quota]:
    """Read quotas by their codes, each with the code of its service; what does not exist is left out.

    Raises TimeOver when `in_time` says that there is no time left, and botocore's ClientError or BotoCoreError.
    """
    client = runtime.client("service-quotas", patience)
    found = {code: _get(client, code, in_time, service) for code, service in services.items()}
    return {code: quota for code, quota in found.items() if quota}


def _read(
    client: ServiceQuotasClient, name: str, known: Codes, found: dict[str, Quota], in_time: Callable[[], bool]
) -> bool:
    """Read the quota of a name by its code, if that is known and still the name's."""
    code = known.by_name.get(name)
    quota = _get(client, code, in_time) if code else None
    if quota is None or quota.name != name:
        known.by_name.pop(name, None)
        return False
    found[name] = quota
    return True


def _learn(client: ServiceQuotasClient, known: Codes, in_time: Callable[[], bool]) -> None:
    """List every quota from where the last listing ended; the codes stay known."""
    while True:
        _check(in_time)
        started = {"NextToken": known.next_token} if known.next_token else {}
        # A listing that fails is begun anew the next time: its token may be what AWS no longer takes.
        known.next_token = None
        page = client.list_service_quotas(ServiceCode=_SERVICE, MaxResults=_PAGE, **started)
        known.by_name |= {quota["QuotaName"]: quota["QuotaCode"] for quota in page.get("Quotas", [])}
        known.next_token = page.get("NextToken")
        if not known.next_token:
            known.listed_at = runtime.now()
            return


def _check(in_time: Callable[[], bool]) -> None:
    if not in_time():
        raise TimeOver


def _get(client: ServiceQuotasClient, code: str, in_time: Callable[[], bool], service: str = _SERVICE) -> Quota | None:
    _check(in_time)
    try:
        found = client.get_service_quota(ServiceCode=service, QuotaCode=code)["Quota"]
    except ClientError as error:
        if code_of(error) == "NoSuchResourceException":
            return None
        raise
    return Quota(name=found["QuotaName"], code=found["QuotaCode"], value=found["Value"])
