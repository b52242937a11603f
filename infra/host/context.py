"""What whoever deploys may choose: the CDK context under `instantstart`, checked before anything is synthesised."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


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
                f"custom_domain.certificate_arn {self.certificate_arn} is not of us-east-1, and CloudFront takes no "
                "other: request the certificate there."
            )
        return self


class Context(BaseModel):
    """All choices of a deployment; each has a default that works in a new account."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    existing_user_pool: ExistingUserPool | None = None
    custom_domain: CustomDomain | None = None
    log_retention_days: int = 30
    alarm_address: Text | None = None
    company_tags: dict[str, str] = Field(default_factory=dict, max_length=40)
    architecture: Literal["arm64", "x86_64"] = "arm64"
    fixed_egress_addresses: tuple[Text, ...] = ()
    passable_role_arns: tuple[Text, ...] = ()
    reserved_concurrency: dict[str, int] = Field(default_factory=dict)
    allowed_origins: tuple[Text, ...] = ()
