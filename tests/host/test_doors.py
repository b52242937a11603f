"""The two doors of the local host: pages elsewhere, paths in front of routes, and the gateway's signature."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

import pytest

from functions.core.caller import CALLER_HEADER
from functions.core.declaration import Route, Scope
from infra.host.addresses import mcp_scope, mcp_url
from infra.local.gateway import HttpGateway
from infra.local.messages import HttpRequest, HttpResponse
from infra.local.sign_in.clients import IDS
from infra.topology import TOPOLOGY
from tests.host.driver import Driver
from tests.host.people import PLACE, People, sent_by
from tests.host.states import PAGE_ORIGIN

if TYPE_CHECKING:
    from pydantic import JsonValue

CLAIM: Final[JsonValue] = {"id": "ann", "scopes": ["read"], "groups": ["research"], "client": "agent"}
MCP: Final = Route("mcp", "ANY", "/mcp", Scope.READ, "Speak MCP", function="mcp")


# -- pages elsewhere


@pytest.mark.case(70)
def test_a_page_elsewhere_is_told_for_every_route_that_it_may_call(people: People) -> None:
    paths = sorted({route.path.replace("{proxy+}", "x").replace("{", "").replace("}", "") for route in TOPOLOGY.routes})
    asked = {"origin": PAGE_ORIGIN, "access-control-request-method": "POST"}
    answers = {path: people.send("OPTIONS", path, headers=asked) for path in paths}
    told = {path: (each.status, each.headers.get("access-control-allow-origin")) for path, each in answers.items()}
    assert told == dict.fromkeys(paths, (204, PAGE_ORIGIN)) | {"/api/x": (404, PAGE_ORIGIN)}


@pytest.mark.case(70)
@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/api/clusters", 401), ("POST", "/api/x", 401)])
def test_a_page_elsewhere_may_read_why_it_was_refused(people: People, method: str, path: str, status: int) -> None:
    answer = people.send(method, path, headers={"origin": PAGE_ORIGIN})
    assert (answer.status, answer.headers["access-control-allow-origin"]) == (status, PAGE_ORIGIN)
    foreign = people.send(method, path, headers={"origin": "https://evil.example"})
    assert "access-control-allow-origin" not in foreign.headers


# -- paths in front of routes


@pytest.mark.case(69)
@pytest.mark.parametrize("in_front", ["/prod", "/v1/instantstart"])
@pytest.mark.parametrize(
    ("function", "path"),
    [
        ("api", "/api/operations/01ARZ3NDEKTSV4RRFFQ69G5FAV"),
        ("api", "/api/clusters"),
        ("catalog", "/api/catalog/regions"),
        ("diagnostics", "/api/clusters/no-such/diagnosis"),
        ("kubernetes", "/api/clusters/no-such/namespaces"),
    ],
)
def test_every_function_answers_the_same_behind_a_stage_or_a_base_path(
    driver: Driver, function: str, path: str, in_front: str
) -> None:
    events: list[dict[str, JsonValue]] = []
    genuine = driver.host.functions.invoke

    def invoke(name: str, event: dict[str, JsonValue]) -> JsonValue:
        events.append(event)
        answer: JsonValue = json.loads(genuine(name, event).payload)
        return answer

    gateway = HttpGateway(TOPOLOGY.routes, invoke, driver.host.clock.now, PLACE.account, PLACE.region)
    front = driver.host.entrances.front
    usual = gateway.handle(HttpRequest("GET", path), "192.0.2.1", front.authorizer)
    [event] = events
    context = event["requestContext"]
    assert isinstance(context, dict)
    staged = {**event, "rawPath": f"{in_front}{path}", "requestContext": {**context, "stage": "prod"}}
    outcome = json.loads(genuine(function, staged).payload)
    assert (outcome["statusCode"], json.loads(outcome["body"])) == (usual.status, json.loads(usual.body))


# -- tokens for agents


@pytest.mark.case(77)
def test_an_agents_expired_token_is_named_as_such_and_reaches_nothing(people: People) -> None:
    called: list[str] = []

    def invoke(function: str, _: dict[str, JsonValue]) -> JsonValue:
        called.append(function)
        return {"statusCode": 200, "body": "{}"}

    front = people.host.entrances.front
    gateway = HttpGateway([MCP], invoke, people.host.clock.now, "1", "us-west-2", scope_of=front.scope_of)

    def call(**changed: JsonValue) -> HttpResponse:
        scopes = f"{mcp_scope(people.origin, Scope.READ)} instantstart/admin"
        token = people.token([], changed={"aud": mcp_url(people.origin), "scope": scopes, **changed})
        request = HttpRequest("POST", "/mcp", "", {"authorization": f"Bearer {token}"})
        return front.answer(request) or gateway.handle(request, "192.0.2.1", front.authorizer)

    assert (call().status, called) == (200, ["mcp"])
    expired = call(exp=1)
    assert (expired.status, json.loads(expired.body)) == (401, {"message": "Unauthorized"})
    challenge = expired.headers["www-authenticate"]
    assert 'error="invalid_token" error_description="the token has expired"' in challenge
    assert call(aud=None).status == 401, "a token for the API is none for agents"
    assert call(scope="instantstart/admin").status == 403, "the scopes of the API are not those of agents"
    assert called == ["mcp"]


def test_who_claims_to_be_somebody_else_at_the_public_door_is_who_the_token_says(people: People) -> None:
    claimed = {CALLER_HEADER: json.dumps({"id": "root", "scopes": ["admin"], "groups": [], "client": "forged"})}
    token = people.token([Scope.READ, Scope.OPERATE])
    begun = json.loads(people.send("POST", "/api/clusters", token, {"tag": "t1"}, claimed).body)
    assert begun["actor"] == {"id": "ann", "channel": "console", "client": IDS.console}


# -- the gateway's door


def test_the_gateway_calls_for_its_caller_as_an_agent(driver: Driver) -> None:
    claim: JsonValue = {"id": "ann", "scopes": ["read", "operate"], "groups": [], "client": "agent-1"}
    answer = driver.host.handle_internal(sent_by(driver.host, "mcp", "POST", "/api/clusters", {"tag": "t1"}, claim))
    assert answer.status == 202, answer
    assert json.loads(answer.body)["actor"] == {"id": "ann", "channel": "agent", "client": "agent-1"}


@pytest.mark.parametrize("path", ["/api/operations?limit=2&status=FAILED", "/api/clusters/a%20b", "/api/clusters"])
def test_a_signature_is_read_whatever_the_path_and_the_query(driver: Driver, path: str) -> None:
    request = sent_by(driver.host, "mcp", "GET", path, None, CLAIM)
    assert driver.host.handle_internal(request).status in (200, 404)


def changed(request: HttpRequest, **headers: str | None) -> HttpRequest:
    """Change a request after it was signed."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    kept = {name: value for name, value in (dict(request.headers) | named).items() if value is not None}
    return replace(request, headers=kept)


def refused(driver: Driver, request: HttpRequest) -> None:
    answer = driver.host.handle_internal(request)
    assert (answer.status, json.loads(answer.body)) == (403, {"message": "Forbidden"})


def test_what_was_changed_after_it_was_signed_is_refused(driver: Driver) -> None:
    genuine = sent_by(driver.host, "mcp", "POST", "/api/clusters?dry_run=true", {"tag": "t1"}, CLAIM)
    refused(driver, replace(genuine, body=b'{"tag": "t2"}'))
    refused(driver, replace(genuine, method="PUT"))
    refused(driver, replace(genuine, path="/api/clusters/import"))
    refused(driver, replace(genuine, query=""))
    refused(driver, changed(genuine, **{CALLER_HEADER: json.dumps({"id": "root"})}))
    refused(driver, changed(genuine, host="other.example"))
    refused(driver, changed(genuine, x_amz_security_token=None))
    refused(driver, changed(genuine, x_amz_security_token="x"))
    refused(driver, changed(genuine, authorization=None))
    refused(driver, changed(genuine, authorization=genuine.headers["authorization"].replace("execute-api", "sts")))


def test_every_header_of_awss_own_has_to_be_signed(driver: Driver) -> None:
    refused(driver, changed(sent_by(driver.host, "mcp", "GET", "/api/clusters", None, CLAIM), x_amz_meta="x"))


@pytest.mark.parametrize("minutes", [-6, 6])
def test_a_signature_of_another_time_is_refused(driver: Driver, monkeypatch: pytest.MonkeyPatch, minutes: int) -> None:
    then = datetime.now(UTC) + timedelta(minutes=minutes)
    monkeypatch.setattr("botocore.auth.get_current_datetime", lambda: then.replace(tzinfo=None))
    request = sent_by(driver.host, "mcp", "GET", "/api/clusters", None, CLAIM)
    monkeypatch.undo()
    refused(driver, request)


def test_a_session_that_has_ended_is_refused(driver: Driver) -> None:
    ends = driver.host.clock.now() + timedelta(hours=1)
    request = sent_by(driver.host, "mcp", "GET", "/api/clusters", None, CLAIM, until=ends)
    assert driver.host.handle_internal(request).status == 200
    driver.sleep(3600)
    refused(driver, request)


def test_keys_of_ones_own_and_no_signature_open_nothing(driver: Driver) -> None:
    refused(driver, HttpRequest("GET", "/api/clusters", "", {CALLER_HEADER: json.dumps(CLAIM)}))
    refused(driver, sent_by(driver.host, None, "GET", "/api/clusters", None, CLAIM))
