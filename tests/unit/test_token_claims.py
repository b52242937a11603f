"""Which scopes the user pool leaves out of a token."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from functions.core.errors import DeploymentFault
from functions.entry.token_claims import UnreadableTokenEvent, handler

if TYPE_CHECKING:
    from pydantic import JsonValue

    Event = dict[str, JsonValue]

API = ["instantstart/read", "instantstart/operate", "instantstart/admin"]
CONSOLE = "https://d111111abcdef8.cloudfront.net"
MCP = [f"{CONSOLE}/mcp/{scope}" for scope in ("read", "operate", "admin")]


@pytest.fixture(autouse=True)
def told(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the deployment tells the function."""
    monkeypatch.setenv("CONSOLE_URL", CONSOLE)


def event(groups: list[str], scopes: list[str], **more: JsonValue) -> Event:
    """What the trigger V2_0 sends when somebody signs in on the pages of managed login."""
    request: Event = {
        "userAttributes": {"sub": "5b1e6f0a", "email": "ann@example.com", "cognito:user_status": "CONFIRMED"},
        "scopes": [*scopes],
        "groupConfiguration": {
            "groupsToOverride": [*groups],
            "iamRolesToOverride": [],
            "preferredRole": None,
        },
    }
    return {
        "version": "2",
        "triggerSource": "TokenGeneration_HostedAuth",
        "region": "us-west-2",
        "userPoolId": "us-west-2_example",
        "userName": "ann",
        "callerContext": {"awsSdkVersion": "aws-sdk-unknown-unknown", "clientId": "1example23456789"},
        "request": request,
        "response": {"claimsAndScopeOverrideDetails": None},
        **more,
    }


def of_a_machine(scopes: list[str]) -> Event:
    """What the trigger V3_0 sends when a program signs in with its own secret: nobody's groups, nobody's name."""
    request: Event = {"userAttributes": {}, "scopes": [*scopes], "clientMetadata": {}}
    sent = event([], scopes, version="3", triggerSource="TokenGeneration_ClientCredentials", request=request)
    del sent["userName"]
    return sent


def overrides(sent: Event) -> JsonValue:
    response = handler(sent, None)["response"]
    assert isinstance(response, dict)
    return response["claimsAndScopeOverrideDetails"]


def suppressed(sent: Event) -> JsonValue:
    details = overrides(sent)
    assert isinstance(details, dict)
    generation = details["accessTokenGeneration"]
    assert isinstance(generation, dict)
    assert generation.keys() == {"scopesToSuppress"}, "nothing is ever added, and no claim is changed"
    return generation["scopesToSuppress"]


@pytest.mark.parametrize("all_scopes", [API, MCP], ids=["api", "mcp"])
@pytest.mark.parametrize(
    ("groups", "held"),
    [
        ([], 0),
        (["instantstart-readers"], 1),
        (["instantstart-operators"], 2),
        (["instantstart-administrators"], 3),
        (["instantstart-readers", "instantstart-operators"], 2),
        (["research"], 0),
        (["research", "instantstart-readers"], 1),
        (["Instantstart-Administrators", "instantstart-admin"], 0),
        # Another product's groups in a pool that is shared.
        (["administrators", "operators", "readers"], 0),
    ],
)
def test_a_token_keeps_what_its_owners_groups_hold(groups: list[str], held: int, all_scopes: list[str]) -> None:
    assert suppressed(event(groups, ["openid", *all_scopes])) == all_scopes[held:]


def test_what_was_not_asked_for_is_neither_added_nor_taken_out() -> None:
    assert suppressed(event(["instantstart-administrators"], ["openid", "instantstart/read"])) == []
    assert suppressed(event(["instantstart-readers"], ["openid", "instantstart/admin"])) == ["instantstart/admin"]


def test_scopes_of_others_in_a_shared_pool_are_left_alone() -> None:
    others = ["openid", "email", "aws.cognito.signin.user.admin", "payments/admin", "https://other.example/api/admin"]
    assert suppressed(event([], others)) == []


@pytest.mark.parametrize("origin", ["https://other.example", f"{CONSOLE}/tools", f"{CONSOLE}.example", "http://x"])
def test_scopes_of_somebody_elses_mcp_are_left_alone(origin: str) -> None:
    others = [f"{origin}/mcp/{scope}" for scope in ("read", "admin")]
    assert suppressed(event([], [*others, *MCP])) == MCP


def test_without_its_own_address_nobody_signs_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CONSOLE_URL")
    with pytest.raises(DeploymentFault, match="CONSOLE_URL"):
        handler(event([], MCP), None)


def test_a_scope_of_ours_that_no_group_knows_is_nobodys() -> None:
    assert suppressed(event(["instantstart-administrators"], ["instantstart/everything"])) == [
        "instantstart/everything"
    ]


@pytest.mark.parametrize("source", ["Authentication", "NewPasswordChallenge", "RefreshTokens", "AuthenticateDevice"])
def test_every_way_to_a_token_is_narrowed(source: str) -> None:
    assert suppressed(event(["instantstart-readers"], API, triggerSource=f"TokenGeneration_{source}")) == API[1:]


def test_groups_stay_in_the_token() -> None:
    details = overrides(event(["instantstart-readers", "research"], API))
    assert isinstance(details, dict)
    assert details["groupOverrideDetails"] == {
        "groupsToOverride": ["instantstart-readers", "research"],
        "iamRolesToOverride": [],
    }


def test_a_machine_reads_and_operates_and_never_administers() -> None:
    assert suppressed(of_a_machine(API)) == ["instantstart/admin"]


def test_a_name_that_a_person_chose_makes_no_machine_of_a_person() -> None:
    assert suppressed(event([], API, userName="TokenGeneration_ClientCredentials")) == API


def test_the_rest_of_the_event_goes_back_as_it_came() -> None:
    sent = event(["instantstart-readers"], API)
    answered = handler(sent, None)
    assert {**answered, "response": None} == {**sent, "response": None}


@pytest.mark.parametrize(
    "sent",
    [
        {},
        event([], API, version="1"),
        event([], API, triggerSource="PostConfirmation_ConfirmSignUp"),
        event([], API, request=None),
        event([], API, request={"userAttributes": {"email": "ann@example.com"}, "groupConfiguration": {}}),
        event([], API, request={"scopes": "instantstart/read", "groupConfiguration": {}}),
        event(
            [], API, request={"scopes": [], "groupConfiguration": {"groupsToOverride": "instantstart-administrators"}}
        ),
    ],
)
def test_what_cannot_be_read_stops_the_sign_in_instead_of_leaving_every_scope(sent: Event) -> None:
    with pytest.raises(UnreadableTokenEvent, match="No token is made") as raised:
        handler(sent, None)
    assert "ann@example.com" not in str(raised.value)
    assert raised.value.__cause__ is None
