"""What whoever deploys may choose: the CDK context under `instantstart`, checked before anything is synthesised."""

from __future__ import annotations

import ipaddress
import json
from typing import TYPE_CHECKING, Annotated, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from infra.host.shipment import Charts
from infra.topology import FUNCTIONS

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

KEY: Final = "instantstart"

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Architecture = Literal["arm64", "x86_64"]

# PutRetentionPolicy, CloudWatch Logs API reference.
LOG_RETENTION_DAYS: Final = (
    *(1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731),
    *(1096, 1827, 2192, 2557, 2922, 3288, 3653),
)
_OUR_TAGS: Final = "instantstart:"


class ExistingUserPool(BaseModel):
    """A Cognito user pool that stands already; its domain is where people sign in."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Text
    domain: Text


class CustomDomain(BaseModel):
    """A domain of the caller's own for console, API and agents; CloudFront takes certificates from us-east-1 only."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Text
    certificate_arn: Text

    @model_validator(mode="after")
    def _in_us_east_1(self) -> Self:
        if ":acm:us-east-1:" not in self.certificate_arn:
            raise ValueError(
                f"certificate_arn {self.certificate_arn} is not of us-east-1, and CloudFront takes no other: request "
                "the certificate there."
            )
        return self


def _offered(days: int) -> int:
    if days not in LOG_RETENTION_DAYS:
        offered = ", ".join(str(each) for each in LOG_RETENTION_DAYS)
        raise ValueError(f"{days} is no retention that CloudWatch offers: choose one of {offered}.")
    return days


def _address(text: str) -> str:
    try:
        return str(ipaddress.IPv4Address(text))
    except ValueError as error:
        raise ValueError(
            f"{text} is no IPv4 address, and a NAT gateway has no other: name each one without a range."
        ) from error


class Context(BaseModel):
    """All choices of a deployment; each has a default that works in a new account.

    `charts` are those of `infra/charts.lock`, or a stand-in that is no good for clusters. `signing_key_generation`
    counts up by one to rotate the keys of page tokens.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    existing_user_pool: ExistingUserPool | None = None
    custom_domain: CustomDomain | None = None
    log_retention_days: Annotated[int, AfterValidator(_offered)] = 30
    alarm_address: Text | None = None
    company_tags: dict[str, str] = Field(default_factory=dict, max_length=40)
    architecture: Architecture = "arm64"
    fixed_egress_addresses: tuple[Annotated[Text, AfterValidator(_address)], ...] = ()
    passable_role_arns: tuple[Text, ...] = ()
    reserved_concurrency: dict[str, int] = Field(default_factory=dict)
    allowed_origins: tuple[Text, ...] = ()
    charts: Charts = "locked"
    signing_key_generation: int = Field(default=1, ge=1)

    @classmethod
    def of(cls, given: object) -> Self:
        """Read what CDK has for our key: an object, the text of one (`cdk -c`), or nothing; raises ValidationError."""
        return cls.model_validate_json(given) if isinstance(given, str) else cls.model_validate(given or {})

    def choices(self) -> dict[str, str]:
        """Give the settings of functions that follow from the choices."""
        return {
            "FIXED_EGRESS_ADDRESSES": ",".join(self.fixed_egress_addresses),
            "PASSABLE_ROLE_ARNS": ",".join(self.passable_role_arns),
        }


def complaint(error: ValidationError) -> str:
    """Say in one sentence what is wrong with a context: the first key, why, and what would be right."""
    return str(error)
