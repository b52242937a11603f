"""What whoever deploys may choose: the CDK context under `instantstart`, checked before anything is synthesised."""

from __future__ import annotations

import ipaddress
import json
import re
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from functions.core.groups import SCOPES_OF_GROUPS
from infra.functions import FUNCTIONS

KEY: Final = "instantstart"

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Architecture = Literal["arm64", "x86_64"]
Charts = Literal["locked", "stand_in"]

# What PutRetentionPolicy takes. Source: CloudWatch Logs API reference.
LOG_RETENTION_DAYS: Final = (
    *(1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731),
    *(1096, 1827, 2192, 2557, 2922, 3288, 3653),
)
_AWS_TAGS: Final = "aws:"
_OUR_TAGS: Final = "instantstart:"
# Source: "Tag naming limits and requirements", AWS tagging guide.
_TAG_KEY: Final = re.compile(r"[\w .:/=+@-]{1,128}")
_TAG_VALUE: Final = re.compile(r"[\w .:/=+@-]{0,256}")
_ROLE_ARN: Final = re.compile(r"arn:aws[a-z-]*:iam::\d{12}:role/(?:[!-~]+/)?[\w+=,.@-]{1,64}")
_CERTIFICATE_ARN: Final = re.compile(r"arn:aws[a-z-]*:acm:([a-z0-9-]+):\d{12}:certificate/[0-9a-f-]+")
_DOMAIN: Final = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}")
_ORIGIN: Final = re.compile(r"https?://[a-z0-9.-]+(?::\d{1,5})?")
# A quarter of what Lambda takes of a function's settings (4 KB), names included; the rest is ours.
_SETTINGS_LIMIT: Final = 1000
_SUBNET: Final = re.compile(r"subnet-(?:[0-9a-f]{8}|[0-9a-f]{17})")
_GROUP: Final = re.compile(r"sg-(?:[0-9a-f]{8}|[0-9a-f]{17})")
# Source: Cognito API reference, CreateIdentityProvider, and SupportedIdentityProviders of CreateUserPoolClient.
_PROVIDER: Final = re.compile(r"[^_\s][^\s]{0,31}")
_OWN_USERS: Final = "COGNITO"
_EMAIL: Final = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")


def _domain(text: str) -> str:
    if not _DOMAIN.fullmatch(text):
        raise ValueError(f"{text} is no domain name: write it in lower case, without scheme and path.")
    return text


def _certificate(arn: str) -> str:
    found = _CERTIFICATE_ARN.fullmatch(arn)
    if not found:
        raise ValueError(f"{arn} is no ARN of a certificate: copy it from ACM in us-east-1.")
    if found[1] != "us-east-1":
        raise ValueError(f"{arn} is not of us-east-1, and CloudFront takes no other: request the certificate there.")
    return arn


def _offered(days: int) -> int:
    if days not in LOG_RETENTION_DAYS:
        offered = ", ".join(str(each) for each in LOG_RETENTION_DAYS)
        raise ValueError(f"{days} is no retention that CloudWatch offers: choose one of {offered}.")
    return days


def _ipv4(text: str) -> str:
    try:
        return str(ipaddress.IPv4Address(text))
    except ValueError as error:
        raise ValueError(
            f"{text} is no IPv4 address, and a NAT gateway has no other: name each one, without a range."
        ) from error


def _subnet(text: str) -> str:
    if not _SUBNET.fullmatch(text):
        raise ValueError(f"{text} is no id of a subnet: name private subnets whose default route is a NAT gateway.")
    return text


def _group(text: str) -> str:
    if not _GROUP.fullmatch(text):
        raise ValueError(f"{text} is no id of a security group: name one of the subnets' VPC that lets HTTPS out.")
    return text


def _role(arn: str) -> str:
    if not _ROLE_ARN.fullmatch(arn):
        raise ValueError(f"{arn} is no ARN of a role: write arn:aws:iam::<account>:role/<path and name>, no pattern.")
    return arn


def _origin(text: str) -> str:
    if not _ORIGIN.fullmatch(text):
        raise ValueError(f"{text} is no origin: write scheme and host, as in https://console.example.com, no path.")
    return text


def _provider(name: str) -> str:
    if not _PROVIDER.fullmatch(name) or name == _OWN_USERS:
        raise ValueError(
            f"{name} is no name of a provider: write it as it stands in the user pool, of at most 32 characters; "
            f"{_OWN_USERS} itself is always there."
        )
    return name


def _mail(address: str) -> str:
    if not _EMAIL.fullmatch(address):
        raise ValueError(f"{address} is no e-mail address: name one that reads the alarms.")
    return address


def _tags(tags: dict[str, str]) -> dict[str, str]:
    for key, value in tags.items():
        if key.lower().startswith(_AWS_TAGS):
            raise ValueError(f"{key} begins with {_AWS_TAGS}, which AWS keeps for itself: choose another key.")
        if key.lower().startswith(_OUR_TAGS):
            raise ValueError(f"{key} begins with {_OUR_TAGS}, by which the product knows its own: choose another key.")
        if not _TAG_KEY.fullmatch(key) or not _TAG_VALUE.fullmatch(value):
            raise ValueError(
                f"{key}={value} is no tag that AWS takes: use letters, digits, spaces and _ . : / = + - @, at most 128 "
                "in the key and 256 in the value."
            )
    return tags


def _agent_roles(roles: dict[str, str]) -> dict[str, str]:
    for arn, group in roles.items():
        if group not in SCOPES_OF_GROUPS:
            raise ValueError(f"{group} of {arn} is no group of this product: take {', '.join(SCOPES_OF_GROUPS)}.")
    return {_role(arn): group for arn, group in roles.items()}


def _reserved(concurrency: dict[str, int]) -> dict[str, int]:
    known = sorted(function.name for function in FUNCTIONS)
    for name, count in concurrency.items():
        if name not in known:
            raise ValueError(f"{name} is no function of a deployment: name one of {', '.join(known)}.")
        if count < 1:
            raise ValueError(f"{count} for {name} would keep it from running: reserve at least 1, or leave it out.")
    return concurrency


class ExistingUserPool(BaseModel):
    """A Cognito user pool that stands already; its domain is where people sign in."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Annotated[Text, StringConstraints(pattern=r"^[a-z0-9-]+_[0-9A-Za-z]+$")]
    domain: Annotated[Text, AfterValidator(_domain)]


class CustomDomain(BaseModel):
    """A domain of the caller's own for console, API and agents; CloudFront takes certificates from us-east-1 only."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[Text, AfterValidator(_domain)]
    certificate_arn: Annotated[Text, AfterValidator(_certificate)]


class Egress(BaseModel):
    """Where the functions that call clusters stand, and the addresses of the NAT gateways that they leave through.

    All three, or the functions would leave through addresses that clusters' endpoints do not know.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    subnet_ids: Annotated[tuple[Annotated[Text, AfterValidator(_subnet)], ...], Field(min_length=1, max_length=16)]
    security_group_ids: Annotated[
        tuple[Annotated[Text, AfterValidator(_group)], ...], Field(min_length=1, max_length=5)
    ]
    addresses: Annotated[tuple[Annotated[Text, AfterValidator(_ipv4)], ...], Field(min_length=1)]


class Context(BaseModel):
    """All choices of a deployment; each has a default that works in a new account.

    `charts` are those of `infra/charts.lock`, or stand-ins that no cluster can use. `signing_key_generation` counts up
    by one, from one deployment to the next, to rotate the keys of page tokens. `agent_roles` says for which group roles
    count that speak to the gateway with a signature instead of a token; others may read.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    existing_user_pool: ExistingUserPool | None = None
    identity_providers: tuple[Annotated[Text, AfterValidator(_provider)], ...] = ()
    custom_domain: CustomDomain | None = None
    log_retention_days: Annotated[int, AfterValidator(_offered)] = 30
    alarm_address: Annotated[Text, AfterValidator(_mail)] | None = None
    company_tags: Annotated[dict[str, str], Field(max_length=40), AfterValidator(_tags)] = {}
    architecture: Architecture = "arm64"
    egress: Egress | None = None
    passable_role_arns: tuple[Annotated[Text, AfterValidator(_role)], ...] = ()
    reserved_concurrency: Annotated[dict[str, int], AfterValidator(_reserved)] = {}
    agent_roles: Annotated[dict[str, str], AfterValidator(_agent_roles)] = {}
    allowed_origins: tuple[Annotated[Text, AfterValidator(_origin)], ...] = ()
    charts: Charts = "locked"
    signing_key_generation: int = Field(default=1, ge=1)

    @model_validator(mode="after")
    def _fit(self) -> Self:
        told = (*self.choices().values(), json.dumps(self.agent_roles))
        if (size := sum(map(len, told))) > _SETTINGS_LIMIT:
            raise ValueError(
                f"agent_roles, company_tags, egress.addresses and passable_role_arns take {size} characters together, "
                f"and a function's settings have room for {_SETTINGS_LIMIT}: shorten or leave out some."
            )
        return self

    @classmethod
    def of(cls, given: object) -> Self:
        """Read what CDK has under our key: an object, its text (`cdk -c`), or nothing; raises ValidationError."""
        return cls.model_validate_json(given) if isinstance(given, str) else cls.model_validate(given or {})

    def choices(self) -> dict[str, str]:
        """Give the functions' settings that are choices."""
        return {
            "FIXED_EGRESS_ADDRESSES": " ".join(self.egress.addresses if self.egress else ()),
            "PASSABLE_ROLE_ARNS": " ".join(self.passable_role_arns),
            "COMPANY_TAGS": json.dumps(self.company_tags),
        }
