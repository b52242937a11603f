"""What a deployment may choose: each wrong choice is refused with the key, the cause and the remedy."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import botocore.session
import pytest
from pydantic import ValidationError

import infra.host
from functions.core import runtime, settings
from functions.core.runtime import Runtime, SystemClock
from infra.host.complaint import complaint
from infra.host.context import LOG_RETENTION_DAYS, Context, Egress

if TYPE_CHECKING:
    from pydantic import JsonValue

ROLE = "arn:aws:iam::111122223333:role/company/training"
CERTIFICATE = "arn:aws:acm:us-east-1:111122223333:certificate/12345678-1234-1234-1234-123456789012"
EGRESS: dict[str, JsonValue] = {
    "subnet_ids": ["subnet-0123456789abcdef0"],
    "security_group_ids": ["sg-0123456789abcdef0"],
    "addresses": ["192.0.2.1", "192.0.2.2"],
}


def refused(given: object) -> str:
    with pytest.raises(ValidationError) as error:
        Context.of(given)
    return complaint(error.value)


@pytest.mark.parametrize(
    ("choice", "where", "cause", "remedy"),
    [
        ({"alarm_adress": "a@example.com"}, "alarm_adress", "no such choice", "alarm_address"),
        ({"log_retention_days": 31}, "log_retention_days", "31", "choose one of"),
        ({"log_retention_days": "long"}, "log_retention_days", "'long'", "default"),
        ({"alarm_address": "everybody"}, "alarm_address", "everybody", "name one"),
        ({"architecture": "riscv"}, "architecture", "'riscv'", "default"),
        ({"charts": "none"}, "charts", "'none'", "default"),
        ({"signing_key_generation": 0}, "signing_key_generation", "0", "default"),
        ({"company_tags": {"AWS:team": "x"}}, "company_tags", "AWS:team", "another key"),
        ({"company_tags": {"instantstart:cluster": "x"}}, "company_tags", "instantstart:cluster", "another key"),
        ({"company_tags": {"team": "a;b"}}, "company_tags", "team=a;b", "use letters"),
        ({"company_tags": {"": "b"}}, "company_tags", "=b", "use letters"),
        ({"reserved_concurrency": {"apis": 5}}, "reserved_concurrency", "apis", "name one of api,"),
        ({"reserved_concurrency": {"api": 0}}, "reserved_concurrency", "0 for api", "leave it out"),
        ({"egress": {**EGRESS, "addresses": ["2001:db8::1"]}}, "egress.addresses.0", "2001:db8::1", "name each one"),
        ({"egress": {**EGRESS, "addresses": ["192.0.2.0/24"]}}, "egress.addresses.0", "192.0.2.0/24", "name each one"),
        ({"egress": {**EGRESS, "subnet_ids": ["vpc-1"]}}, "egress.subnet_ids.0", "vpc-1", "NAT gateway"),
        ({"egress": {**EGRESS, "security_group_ids": ["default"]}}, "egress.security_group_ids.0", "default", "HTTPS"),
        ({"egress": {"addresses": ["192.0.2.1"]}}, "egress.subnet_ids", "required", "write that"),
        ({"identity_providers": ["COGNITO"]}, "identity_providers.0", "COGNITO", "always there"),
        ({"identity_providers": ["My Company"]}, "identity_providers.0", "My Company", "as it stands in the user pool"),
        ({"passable_role_arns": [ROLE, "training"]}, "passable_role_arns.1", "training", "write arn:aws:iam::"),
        ({"passable_role_arns": [f"{ROLE}*"]}, "passable_role_arns.0", "training*", "no pattern"),
        ({"agent_roles": {"agents": "instantstart-readers"}}, "agent_roles", "agents is no ARN", "write arn:aws:iam::"),
        ({"agent_roles": {ROLE: "admins"}}, "agent_roles", "admins of", "instantstart-administrators"),
        ({"allowed_origins": ["https://a.example/ui"]}, "allowed_origins.0", "https://a.example/ui", "no path"),
        ({"existing_user_pool": {"id": "us-west-2_a1"}}, "existing_user_pool.domain", "required", "write that"),
        ({"existing_user_pool": {"id": "pool", "domain": "a.example"}}, "existing_user_pool.id", "pattern", "default"),
        (
            {"existing_user_pool": {"id": "us-west-2_a1", "domain": "https://a.example"}},
            "existing_user_pool.domain",
            "https://a.example",
            "without scheme",
        ),
        (
            {"custom_domain": {"name": "a.example", "certificate_arn": CERTIFICATE.replace("us-east-1", "eu-west-1")}},
            "custom_domain.certificate_arn",
            "not of us-east-1",
            "request the certificate there",
        ),
        (
            {"custom_domain": {"name": "a.example", "certificate_arn": "mine"}},
            "custom_domain.certificate_arn",
            "mine is no ARN",
            "copy it",
        ),
        (
            {"custom_domain": {"name": "a.example/ui", "certificate_arn": CERTIFICATE}},
            "custom_domain.name",
            "a.example/ui",
            "without scheme and path",
        ),
    ],
)
def test_a_wrong_choice_is_refused_in_one_sentence(
    choice: dict[str, JsonValue], where: str, cause: str, remedy: str
) -> None:
    sentence = refused(choice)
    assert sentence.startswith(f"The context instantstart.{where} ")
    assert cause in sentence
    assert remedy in sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence


def test_choices_that_functions_cannot_be_told_are_refused() -> None:
    roles = [f"{ROLE}{number}" for number in range(30)]
    sentence = refused({"passable_role_arns": roles})
    assert "passable_role_arns" in sentence
    assert "shorten" in sentence
    assert "shorten" in refused({"agent_roles": dict.fromkeys(roles, "instantstart-operators")})
    assert Context.of({"passable_role_arns": roles[:10]}).passable_role_arns == tuple(roles[:10])


def test_the_command_line_gives_its_choices_as_text() -> None:
    assert Context.of('{"log_retention_days": 7}') == Context(log_retention_days=7)
    assert "instantstart" in refused("{")


@pytest.mark.parametrize("given", [None, {}])
def test_nothing_has_to_be_chosen(given: object) -> None:
    assert Context.of(given) == Context()


def test_the_default_retention_is_one_that_is_offered() -> None:
    assert Context().log_retention_days in LOG_RETENTION_DAYS


def test_functions_read_the_choices_as_they_were_made() -> None:
    tags = {"team": "ml/training"}
    chosen = Context(egress=Egress.model_validate(EGRESS), passable_role_arns=(ROLE,), company_tags=tags)
    with runtime.bound(Runtime(chosen.choices(), botocore.session.Session(), SystemClock())):
        assert settings.fixed_egress_addresses() == EGRESS["addresses"]
        assert settings.passable_role_arns() == [ROLE]
        assert json.loads(runtime.environment()["COMPANY_TAGS"]) == tags


def test_the_operations_guide_lists_every_choice_with_its_default() -> None:
    guide = (Path(infra.host.__file__).parent / "README.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| `(\w+)` \| `([^`]+)` \|", guide, re.MULTILINE))
    defaults = Context().model_dump(mode="json")
    assert {name: json.loads(default) for name, default in told.items()} == defaults
