"""Who a caller is, through which door."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from functions.core.caller import CALLER_HEADER, caller_of
from functions.core.declaration import Scope
from functions.core.errors import Forbidden, Unauthenticated
from functions.core.ledger.models import Actor, Channel

if TYPE_CHECKING:
    from pydantic import JsonValue

GATEWAY = "arn:aws:iam::123456789012:role/instantstart/us-west-2/instantstart-function-mcp-us-west-2"
SESSION = "arn:aws:sts::123456789012:assumed-role/instantstart-function-mcp-us-west-2/mcp"
EVERY_SCOPE = "instantstart/read instantstart/operate instantstart/admin"
CLAIM: dict[str, JsonValue] = {"id": "ann", "scopes": ["read"], "groups": ["research"], "client": "mcp"}


def token_event(headers: dict[str, JsonValue] | None = None, **claims: JsonValue) -> dict[str, JsonValue]:
    token: dict[str, JsonValue] = {
        "sub": "ann",
        "client_id": "cli",
        "scope": "instantstart/read openid instantstart/operate",
        "cognito:groups": "[instantstart-operators]",
        **claims,
    }
    return {"requestContext": {"authorizer": {"jwt": {"claims": token, "scopes": None}}}, "headers": headers or {}}


def gateway_event(header: str | None, signed_by: str = SESSION) -> dict[str, JsonValue]:
    headers: dict[str, JsonValue] = {} if header is None else {CALLER_HEADER: header}
    return {"requestContext": {"authorizer": {"iam": {"userArn": signed_by}}}, "headers": headers}


def test_a_token_names_the_caller_and_what_it_may_do() -> None:
    groups: dict[str, JsonValue] = {"cognito:groups": "[research instantstart-operators]"}
    caller = caller_of(token_event(None, **groups), console_client_id="console")
    assert (caller.id, caller.client, caller.channel) == ("ann", "cli", Channel.REST)
    assert caller.scopes == {Scope.READ, Scope.OPERATE}
    assert caller.groups == ("research", "instantstart-operators")
    assert caller.actor == Actor(id="ann", channel=Channel.REST, client="cli")


def test_the_consoles_client_is_the_console() -> None:
    assert caller_of(token_event(client_id="console"), console_client_id="console").channel is Channel.CONSOLE


@pytest.mark.parametrize(
    ("groups", "held"),
    [
        ("", set()),
        ("[research admins]", set()),
        ("[instantstart-readers]", {Scope.READ}),
        ("[research instantstart-operators]", {Scope.READ, Scope.OPERATE}),
        ("[instantstart-administrators]", set(Scope)),
    ],
)
def test_a_token_that_no_trigger_narrowed_opens_what_its_owners_groups_hold(groups: str, held: set[Scope]) -> None:
    claims: dict[str, JsonValue] = {"scope": EVERY_SCOPE, "cognito:groups": groups}
    assert caller_of(token_event(None, **claims), None, machine_client_id="machine").scopes == held


def test_a_group_adds_no_scope_that_the_token_lacks() -> None:
    claims: dict[str, JsonValue] = {"scope": "instantstart/read", "cognito:groups": "[instantstart-administrators]"}
    assert caller_of(token_event(None, **claims), None).scopes == {Scope.READ}


def test_the_machine_needs_no_group_and_never_administers() -> None:
    claims: dict[str, JsonValue] = {"client_id": "machine", "scope": EVERY_SCOPE, "cognito:groups": ""}
    caller = caller_of(token_event(None, **claims), None, machine_client_id="machine")
    assert caller.scopes == {Scope.READ, Scope.OPERATE}


def test_a_token_without_a_subject_is_known_by_its_username() -> None:
    assert caller_of(token_event(sub="", username="ann.b"), None).id == "ann.b"


def test_a_word_that_only_resembles_a_scope_grants_nothing() -> None:
    caller = caller_of(token_event(scope="read instantstart/administrator xinstantstart/admin"), None)
    assert caller.scopes == frozenset()


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"requestContext": {}},
        {"requestContext": {"authorizer": {"jwt": {"claims": {}}}}},
        {"requestContext": {"authorizer": {"lambda": {"sub": "ann"}}}},
        token_event(sub="", username=""),
        token_event(client_id=""),
        gateway_event(None),
        gateway_event("ann"),
        gateway_event(json.dumps(CLAIM | {"scopes": ["everything"]})),
        gateway_event(json.dumps(CLAIM | {"channel": "console"})),
    ],
)
def test_an_event_that_names_no_caller_is_refused(event: dict[str, JsonValue]) -> None:
    with pytest.raises(Unauthenticated):
        caller_of(event, None, GATEWAY)


def test_the_internal_door_speaks_for_the_gateways_caller() -> None:
    caller = caller_of(gateway_event(json.dumps(CLAIM)), None, GATEWAY)
    assert caller.actor == Actor(id="ann", channel=Channel.AGENT, client="mcp")
    assert caller.scopes == {Scope.READ}
    assert caller.groups == ("research",)


@pytest.mark.parametrize(
    ("signed_by", "gateway"),
    [
        ("arn:aws:sts::123456789012:assumed-role/instantstart-function-api-us-west-2/api", GATEWAY),
        ("arn:aws:sts::111122223333:assumed-role/instantstart-function-mcp-us-west-2/mcp", GATEWAY),
        ("arn:aws:sts::123456789012:assumed-role/instantstart-function-mcp-us-west-20/mcp", GATEWAY),
        ("arn:aws:iam::123456789012:user/instantstart-function-mcp-us-west-2", GATEWAY),
        ("", GATEWAY),
        (SESSION, None),
    ],
)
def test_no_other_role_speaks_for_callers(signed_by: str, gateway: str | None) -> None:
    with pytest.raises(Forbidden, match="internal door"):
        caller_of(gateway_event(json.dumps(CLAIM), signed_by), None, gateway)


def test_the_callers_claim_means_nothing_at_the_public_door() -> None:
    forged = json.dumps(CLAIM | {"id": "root", "scopes": ["admin"]})
    caller = caller_of(token_event(headers={CALLER_HEADER: forged}), None)
    assert (caller.id, Scope.ADMIN in caller.scopes) == ("ann", False)


def test_a_missing_scope_is_named_with_the_way_to_get_it() -> None:
    caller = caller_of(token_event(), None)
    caller.require(Scope.OPERATE)
    with pytest.raises(Forbidden) as refused:
        caller.require(Scope.ADMIN)
    assert "instantstart/admin" in refused.value.detail
    assert refused.value.remedy
