"""Signing in on this machine, from the page to the tokens, and what becomes of them."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from functions.core.declaration import Scope
from infra.host.addresses import (
    AGENT_CALLBACK,
    AUTHORIZATION_SERVER_PATH,
    api_scopes,
    mcp_scopes,
    mcp_url,
)
from infra.local.messages import HttpRequest, HttpResponse
from infra.local.sign_in.clients import IDS, MACHINE
from infra.local.sign_in.keys import verified
from tests.host.driver import Driver, cluster_request
from tests.host.people import People, answered, query_of, signing_in

if TYPE_CHECKING:
    from pydantic import JsonValue


def claims(people: People, token: str) -> dict[str, JsonValue]:
    """Read a token as somebody who knows the published keys alone."""
    return verified(token, {people.provider.key.id: people.provider.key.public})


def problem(response: HttpResponse) -> tuple[int, str]:
    return response.status, str(json.loads(response.body)["error"])


# -- people


@pytest.mark.parametrize(("user", "held"), [("reader", 1), ("operator", 2), ("administrator", 3)])
def test_a_person_gets_of_what_the_console_asks_for_what_their_groups_hold(
    people: People, user: str, held: int
) -> None:
    tokens = people.signed_in(user)
    found = claims(people, tokens["access_token"])
    now = int(people.moment.timestamp())
    told = {name: found.pop(name) for name in ("sub", "jti", "event_id", "origin_jti")}
    assert all(told.values())
    assert found == {
        "iss": f"{people.origin}/us-west-2_local",
        "version": 2,
        "client_id": IDS.console,
        "token_use": "access",
        "scope": " ".join(["openid", *api_scopes()[:held]]),
        "auth_time": now,
        "iat": now,
        "exp": now + 3600,
        "username": user,
        "cognito:groups": [f"instantstart-{user}s"],
    }
    assert people.send("GET", "/api/clusters", tokens["access_token"]).status == 200
    assert people.send("GET", "/api/audit", tokens["access_token"]).status == (200 if held == 3 else 403)


def test_the_identity_token_says_who_signed_in_and_opens_nothing(people: People) -> None:
    identity = people.signed_in("administrator", nonce="n1")["id_token"]
    found = claims(people, identity)
    assert (found["aud"], found["cognito:username"], found["nonce"]) == (IDS.console, "administrator", "n1")
    assert people.send("GET", "/api/clusters", identity).status == 403


def test_the_answer_goes_back_to_the_program_with_its_state(people: People) -> None:
    answer = people.answer_of_page("reader", state="a&b=c d")
    assert ({*answer}, answer["state"]) == ({"code", "state"}, "a&b=c d")


def test_people_and_their_groups_are_those_of_the_file(driver: Driver, tmp_path: Path) -> None:
    users = {"users": [{"name": "mia", "groups": ["instantstart-operators", "research"]}]}
    (tmp_path / "users.json").write_text(json.dumps(users), encoding="utf-8")
    with signing_in(driver.host, tmp_path) as people:
        token = people.signed_in("mia")["access_token"]
        assert claims(people, token)["cognito:groups"] == ["instantstart-operators", "research"]
        assert people.form("/login", {**people.asked(), "user": "reader"}).status == 400
        body = cluster_request("t1") | {"owner_groups": ["research"]}
        assert people.send("POST", "/api/clusters?dry_run=true", token, body).status == 200


def test_the_page_shows_what_a_program_sent_as_text_and_is_never_kept_or_framed(people: People) -> None:
    asked = people.asked(state='"><script>alert(1)</script>')
    page = people.host.handle(HttpRequest("GET", "/login", _query(asked)))
    assert b"<script>" not in page.body
    assert page.headers["cache-control"] == "no-store"
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]


@pytest.mark.parametrize(
    "changed",
    [
        {"client_id": "nobody"},
        {"client_id": IDS.machine},
        {"redirect_uri": "https://evil.example/"},
        {"redirect_uri": "http://localhost:3099/elsewhere"},
        {"redirect_uri": ""},
    ],
    ids=str,
)
def test_nothing_is_sent_to_where_no_program_is_registered(people: People, changed: dict[str, str]) -> None:
    for method, path in (("GET", "/oauth2/authorize"), ("GET", "/login")):
        answer = people.host.handle(HttpRequest(method, path, _query(people.asked(**changed))))
        assert (answer.status, "location" in answer.headers) == (400, False)
    chosen = people.form("/login", {**people.asked(**changed), "user": "administrator"})
    assert (chosen.status, "location" in chosen.headers) == (400, False)


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"code_challenge": ""}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": ""}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"scope": "openid payments/admin"}, "invalid_scope"),
        ({"scope": "http://localhost:3099/mcp/read"}, "invalid_scope"),
        ({"resource": "https://other.example/mcp"}, "invalid_target"),
    ],
    ids=str,
)
def test_what_is_wrong_with_a_request_is_told_to_its_program(
    people: People, changed: dict[str, str], error: str
) -> None:
    answer = query_of(people.host.handle(HttpRequest("GET", "/oauth2/authorize", _query(people.asked(**changed)))))
    assert (answer["error"], answer["state"]) == (error, "s t&te")
    assert query_of(people.form("/login", {**people.asked(**changed), "user": "reader"}))["error"] == error


# -- codes


def test_a_code_is_good_once(people: People) -> None:
    code = people.answer_of_page("reader")["code"]
    assert "access_token" in people.redeemed(code)
    assert people.redeemed(code)["error"] == "invalid_grant"


def test_a_code_is_good_for_five_minutes(people: People) -> None:
    code = people.answer_of_page("reader")["code"]
    people.pass_by(timedelta(minutes=5))
    assert people.redeemed(code)["error"] == "invalid_grant"


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"code_verifier": "b" * 43}, "invalid_grant"),
        ({"code_verifier": ""}, "invalid_grant"),
        ({"redirect_uri": AGENT_CALLBACK}, "invalid_grant"),
        ({"client_id": IDS.agent}, "invalid_grant"),
        ({"client_id": IDS.machine}, "invalid_client"),
        ({"client_id": "nobody"}, "invalid_client"),
        ({"client_secret": "x"}, "invalid_client"),
        ({"grant_type": "password"}, "unauthorized_client"),
    ],
    ids=str,
)
def test_a_code_is_for_the_program_that_can_prove_it(people: People, changed: dict[str, str], error: str) -> None:
    code = people.answer_of_page("administrator")["code"]
    assert people.redeemed(code, **changed)["error"] == error


# -- refresh tokens


@pytest.mark.case(77)
def test_an_expired_token_is_named_as_such_and_a_refreshed_one_reads_the_same_operation(people: People) -> None:
    tokens = people.signed_in("operator")
    body = cluster_request("t1")
    begun = json.loads(people.send("POST", "/api/clusters", tokens["access_token"], body).body)
    people.pass_by(timedelta(hours=1))

    expired = people.send("GET", f"/api/operations/{begun['operation_id']}", tokens["access_token"])
    assert (expired.status, json.loads(expired.body)) == (401, {"message": "Unauthorized"})
    assert expired.headers["www-authenticate"] == (
        'Bearer scope="instantstart/read" error="invalid_token" error_description="the token has expired"'
    )
    renewed = people.refreshed(tokens["refresh_token"])["access_token"]
    answer = people.send("GET", f"/api/operations/{begun['operation_id']}", renewed)
    assert (answer.status, json.loads(answer.body)["operation_id"]) == (200, begun["operation_id"])


def test_each_refresh_token_gives_the_next_and_is_good_for_a_minute_more(people: People) -> None:
    first = people.signed_in("reader")["refresh_token"]
    second = people.refreshed(first)["refresh_token"]
    people.pass_by(timedelta(seconds=59))
    third = people.refreshed(first)["refresh_token"]
    people.pass_by(timedelta(seconds=2))
    assert people.refreshed(first)["error"] == "invalid_grant"
    people.pass_by(timedelta(hours=1))
    assert all("access_token" in people.refreshed(token) for token in (second, third))


def test_a_sign_in_ends_after_a_day_however_often_it_was_refreshed(people: People) -> None:
    token = people.signed_in("reader")["refresh_token"]
    people.pass_by(timedelta(hours=23))
    token = people.refreshed(token)["refresh_token"]
    people.pass_by(timedelta(hours=1))
    assert people.refreshed(token)["error"] == "invalid_grant"


def test_a_refresh_token_is_its_programs_alone(people: People) -> None:
    token = people.signed_in("reader")["refresh_token"]
    assert people.refreshed(token, client_id=IDS.agent)["error"] == "invalid_grant"


def test_what_is_revoked_ends_with_all_that_came_of_the_same_sign_in(people: People) -> None:
    first, other = (people.signed_in("reader")["refresh_token"] for _ in range(2))
    second = people.refreshed(first)["refresh_token"]
    assert people.form("/oauth2/revoke", {"token": second, "client_id": IDS.agent}).status == 200
    assert "access_token" in people.refreshed(second)
    assert people.form("/oauth2/revoke", {"token": second, "client_id": IDS.console}).status == 200
    assert {people.refreshed(token)["error"] for token in (first, second)} == {"invalid_grant"}
    assert "access_token" in people.refreshed(other)


def test_a_person_who_signs_out_is_sent_to_where_the_program_is_registered_and_nowhere_else(people: People) -> None:
    query = {"client_id": IDS.console, "logout_uri": f"{people.origin}/"}
    assert people.host.handle(HttpRequest("GET", "/logout", _query(query))).headers["location"] == f"{people.origin}/"
    elsewhere = people.host.handle(
        HttpRequest("GET", "/logout", _query(query | {"logout_uri": "https://evil.example/"}))
    )
    assert (elsewhere.status, "location" in elsewhere.headers) == (400, False)


# -- agents and machines


def agent(people: People, user: str) -> str:
    """Sign in as an agent does, for the resource at /mcp."""
    asked = {
        "client_id": IDS.agent,
        "redirect_uri": AGENT_CALLBACK,
        "scope": " ".join(mcp_scopes(people.origin)),
        "resource": mcp_url(people.origin),
    }
    return people.signed_in(user, **asked)["access_token"]


def test_an_agents_token_is_for_mcp_alone_and_narrowed_like_any_other(people: People) -> None:
    found = claims(people, agent(people, "operator"))
    assert (found["aud"], found["client_id"]) == (mcp_url(people.origin), IDS.agent)
    assert found["scope"] == " ".join(mcp_scopes(people.origin)[:2])
    assert people.send("GET", "/api/clusters", agent(people, "administrator")).status == 401


def machine(people: People, secret: str, *, basic: bool, scope: str = "") -> dict[str, str]:
    fields = {"grant_type": "client_credentials", **({"scope": scope} if scope else {})}
    if not basic:
        return answered(people.form("/oauth2/token", fields | {"client_id": IDS.machine, "client_secret": secret}))
    shown = base64.b64encode(f"{IDS.machine}:{secret}".encode()).decode()
    return answered(people.form("/oauth2/token", fields, {"authorization": f"Basic {shown}"}))


@pytest.mark.parametrize("basic", [True, False])
def test_a_machine_reads_and_operates_with_its_secret(people: People, tmp_path: Path, basic: bool) -> None:
    path = tmp_path / MACHINE
    assert path.stat().st_mode & 0o077 == 0
    secret = json.loads(path.read_text(encoding="utf-8"))["client_secret"]
    tokens = machine(people, secret, basic=basic)
    assert tokens.keys() == {"access_token", "token_type", "expires_in"}
    found = claims(people, tokens["access_token"])
    assert (found["sub"], found["scope"]) == (IDS.machine, "instantstart/read instantstart/operate")
    assert people.send("GET", "/api/clusters", tokens["access_token"]).status == 200
    assert people.send("GET", "/api/audit", tokens["access_token"]).status == 403
    assert machine(people, secret, basic=basic, scope="instantstart/admin")["error"] == "invalid_scope"
    assert machine(people, f"{secret}x", basic=basic)["error"] == "invalid_client"


def test_people_get_no_tokens_as_machines_do(people: People) -> None:
    answer = people.form("/oauth2/token", {"grant_type": "client_credentials", "client_id": IDS.console})
    assert problem(answer) == (400, "unauthorized_client")


# -- what is published


def test_the_published_key_verifies_tokens(people: People) -> None:
    server = people.document(AUTHORIZATION_SERVER_PATH)
    keys = people.document(str(server["jwks_uri"]).removeprefix(people.origin))["keys"]
    header = json.loads(base64.urlsafe_b64decode(people.token([Scope.READ]).partition(".")[0] + "=="))
    assert [key["kid"] for key in keys] == [header["kid"]]
    numbers = people.provider.key.public.public_numbers()
    assert int.from_bytes(base64.urlsafe_b64decode(keys[0]["n"] + "=="), "big") == numbers.n
    assert (keys[0]["kty"], keys[0]["alg"]) == ("RSA", "RS256")


# -- the function that narrows


def test_nobody_signs_in_when_the_function_that_narrows_tokens_fails(people: People) -> None:
    code = people.answer_of_page("administrator")["code"]
    genuine = people.provider.narrow
    people.provider.narrow = lambda event: genuine({**event, "version": "1"})
    answer = people.redeemed(code)
    assert (answer["error"], "PreTokenGeneration failed" in answer["error_description"]) == ("invalid_grant", True)


def _query(fields: Mapping[str, str]) -> str:
    return urlencode(fields)
