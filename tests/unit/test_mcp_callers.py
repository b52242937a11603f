"""For whom the gateway calls: by a token that was made for it, or by a role's signature."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import botocore.session
import pytest

from functions.core import runtime
from functions.core.declaration import Scope
from functions.core.errors import Unauthenticated
from functions.core.runtime import Runtime, SystemClock
from mcp_gateway.callers import audience_of, claim_of

if TYPE_CHECKING:
    from pydantic import JsonValue

MCP: Final = "https://console.example.com/mcp"
ROLE: Final = "arn:aws:iam::123456789012:role/teams/agents"
SESSION: Final = "arn:aws:sts::123456789012:assumed-role/agents/kiro"


@pytest.fixture(autouse=True)
def function() -> Iterator[Runtime]:
    made = Runtime({"MACHINE_CLIENT_ID": "machine"}, botocore.session.get_session(), SystemClock())
    with runtime.bound(made):
        yield made


def with_token(**claims: JsonValue) -> dict[str, JsonValue]:
    token: dict[str, JsonValue] = {
        "sub": "ann",
        "client_id": "agent",
        "aud": MCP,
        "scope": f"{MCP}/read {MCP}/operate",
        "cognito:groups": "[research instantstart-operators]",
        **claims,
    }
    return {"requestContext": {"authorizer": {"jwt": {"claims": token}}}}


def signed_by(arn: str) -> dict[str, JsonValue]:
    return {"requestContext": {"authorizer": {"iam": {"userArn": arn}}}}


def test_a_token_for_the_gateway_holds_what_its_own_scopes_say() -> None:
    claim = claim_of(with_token())
    assert (claim.id, claim.client, claim.groups) == ("ann", "agent", ("research", "instantstart-operators"))
    assert claim.scopes == {Scope.READ, Scope.OPERATE}
    assert audience_of(with_token()) == MCP


@pytest.mark.parametrize(
    ("claims", "held"),
    [
        ({"scope": "instantstart/read instantstart/operate"}, set()),
        ({"scope": f"{MCP}/read"}, {Scope.READ}),
        ({"scope": f"{MCP}/admin"}, set()),
        ({"cognito:groups": ""}, set()),
        ({"client_id": "machine", "cognito:groups": ""}, {Scope.READ, Scope.OPERATE}),
        ({"aud": None, "scope": "instantstart/read"}, {Scope.READ}),
    ],
)
def test_scopes_of_another_resource_or_of_no_group_count_for_nothing(
    claims: dict[str, JsonValue], held: set[Scope]
) -> None:
    assert claim_of(with_token(**claims)).scopes == held


def test_a_role_may_read_unless_the_deployment_says_for_which_group_it_counts(function: Runtime) -> None:
    assert claim_of(signed_by(SESSION)).scopes == {Scope.READ}
    roles = json.dumps({ROLE: "instantstart-operators"})
    with runtime.bound(replace(function, environment={**function.environment, "AGENT_ROLES": roles})):
        claim = claim_of(signed_by(SESSION))
        assert (claim.id, claim.client) == (SESSION.removesuffix("/kiro"), "kiro"), "the role, whatever its session"
        assert claim.groups == ("instantstart-operators",)
        assert claim.scopes == {Scope.READ, Scope.OPERATE}
        for other in ("arn:aws:sts::111122223333:assumed-role/agents/kiro", SESSION.replace("agents", "others")):
            assert claim_of(signed_by(other)).scopes == {Scope.READ}


def test_nobody_is_called_for_who_is_not_named() -> None:
    nobody: list[dict[str, JsonValue]] = [{}, {"requestContext": {}}, {"requestContext": {"authorizer": {}}}]
    for event in (*nobody, with_token(sub=None)):
        with pytest.raises(Unauthenticated):
            claim_of(event)
