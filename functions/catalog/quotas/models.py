"""What callers get about quotas."""

from __future__ import annotations

from pydantic import Field

from functions.catalog.answers.models import CatalogAnswer, Record


class QuotaView(Record):
    """A quota with what is in use of it; null is what is not known."""

    name: str
    service: str = Field(description="The service's code in Service Quotas, by which an increase is requested.")
    code: str | None
    value: float | None
    used: int | None
    available: int | None = Field(description="What is left; never below 0.")


class QuotaList(CatalogAnswer):
    """The quotas by which a new cluster is judged."""

    quotas: list[QuotaView]
