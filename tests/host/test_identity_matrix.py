"""Every route, whoever calls: who is let in follows from the topology, and nothing else lets anybody in."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from functions.core.caller import CALLER_HEADER
from functions.core.declaration import Route, Scope
from infra.host.addresses import is_of_mcp, mcp_scope, mcp_url
from infra.local.messages import HttpRequest, HttpResponse
from infra.local.sign_in.clients import IDS
from infra.local.sign_in.keys import SigningKey
from infra.topology import TOPOLOGY
from tests.host.driver import Driver, hyperpod_request
from tests.host.people import People, signed, signing_in
from tests.host.sockets import rows

if TYPE_CHECKING:
    from pydantic import JsonValue

# Agents' own routes take other tokens, and no other role's signature.
OF_AGENTS: Final = [route for route in TOPOLOGY.routes if is_of_mcp(route.path)]
ROUTES: Final = [route for route in TOPOLOGY.routes if not is_of_mcp(route.path)]
READ: Final = (Scope.READ,)
OPERATE: Final = (Scope.READ, Scope.OPERATE)
ADMIN: Final = (Scope.READ, Scope.OPERATE, Scope.ADMIN)
PARAMETERS: Final = {
    "operation_id": "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "instance_type": "ml.none",
    "proxy+": "no/such/route",
}
# No route takes it, so that whoever is let in changes nothing.
BODY: Final[dict[str, JsonValue]] = {"unknown_to_every_route": True}
# What routes have to be sent before they look whose the cluster is.
BODIES: Final[dict[str, JsonValue]] = {
    "create_hyperpod": hyperpod_request(),
    "create_namespace": {"name": "team"},
    "update_cluster": {"company_tags": {"team": "ml"}},
}
FORGED: Final = json.dumps({"id": "root", "scopes": ["read", "operate", "admin"], "groups": [], "client": "forged"})


@dataclass(frozen=True)
class Request:
    """A request that its route refuses, if not for its caller, then for what it asks."""

    route: Route

    @property
    def method(self) -> str:
        return "GET" if self.route.method == "ANY" else self.route.method

    @property
    def path(self) -> str:
        return self.at(PARAMETERS)

    def at(self, places: Mapping[str, str]) -> str:
        """Fill the parameters of the path; those that nobody names are of nothing that exists."""
        return re.sub(r"\{([^}]+)\}", lambda found: places.get(found[1], "no-such"), self.route.path)

    @property
    def body(self) -> JsonValue:
        return None if self.method in ("GET", "DELETE") else BODY

    def outcome(self, response: HttpResponse) -> str:
        """Name what became of it, as far as the caller matters."""
        if response.status in (401, 403):
            return str(response.status)
        return "let in" if response.status < 500 else f"fault {response.status}: {response.body!r}"


def outcomes(send: Callable[[Request], HttpResponse]) -> dict[str, str]:
    """Send a request to each route, and say what became of it by operation id."""
    requests = [Request(route) for route in ROUTES]
    return {each.route.operation_id: each.outcome(send(each)) for each in requests}


def by_scope(held: Sequence[Scope]) -> dict[str, str]:
    """What the topology says of a caller with scopes."""
    return {route.operation_id: "let in" if route.scope in held else "403" for route in ROUTES}


def everywhere(outcome: str) -> dict[str, str]:
    return {route.operation_id: outcome for route in ROUTES}


def nothing_was_begun(driver: Driver) -> bool:
    return all(rows(driver, table)["Items"] == [] for table in ("operations", "clusters"))


def with_token(people: People, token: str | None, headers: dict[str, str] | None = None) -> dict[str, str]:
    return outcomes(lambda each: people.send(each.method, each.path, token, each.body, headers))


@pytest.mark.parametrize("held", [READ, OPERATE, ADMIN, (Scope.OPERATE,), (Scope.ADMIN,), ()])
def test_a_token_opens_the_routes_of_its_scopes_and_no_others(
    people: People, driver: Driver, held: Sequence[Scope]
) -> None:
    assert with_token(people, people.token(held)) == by_scope(held)
    assert nothing_was_begun(driver)


def test_without_a_token_no_route_is_open(people: People) -> None:
    assert with_token(people, None) == everywhere("401")


@pytest.mark.parametrize(
    "changed",
    [
        {"exp": 1},
        {"exp": None},
        {"exp": "never"},
        {"nbf": 9_999_999_999},
        {"iat": 9_999_999_999},
        {"iss": "https://cognito-idp.us-west-2.amazonaws.com/us-west-2_other"},
        {"iss": None},
        {"client_id": IDS.agent},
        {"client_id": "somebody-elses"},
        {"client_id": None},
        # The audience counts before the client does: a token for agents opens no route, whosever it is.
        {"aud": "http://localhost:3099/mcp"},
        {"aud": ["https://other.example"]},
    ],
    ids=str,
)
def test_a_token_of_another_time_issuer_or_audience_opens_nothing(
    people: People, changed: dict[str, JsonValue]
) -> None:
    assert with_token(people, people.token(ADMIN, changed=changed)) == everywhere("401")


def test_a_token_that_another_key_signed_opens_nothing(people: People) -> None:
    forger = SigningKey()
    forger.id = people.provider.key.id
    genuine, people.provider.key = people.provider.key, forger
    token = people.token(ADMIN)
    people.provider.key = genuine
    assert with_token(people, token) == everywhere("401")


@pytest.mark.parametrize("token", ["", "abc", "a.b.c", "e30.e30.", "eyJhbGciOiJub25lIn0.e30."])
def test_what_is_no_signed_token_opens_nothing(people: People, token: str) -> None:
    assert with_token(people, token) == everywhere("401")


def test_the_callers_claim_opens_nothing_at_the_public_door(people: People) -> None:
    forged = {CALLER_HEADER: FORGED}
    assert with_token(people, None, forged) == everywhere("401")
    assert with_token(people, people.token(READ), forged) == by_scope(READ)


def test_what_changes_a_cluster_of_others_is_refused_and_what_looks_at_it_is_not(
    driver_of_prepared: Driver, tmp_path: Path
) -> None:
    owned = driver_of_prepared.run("/api/clusters/base", {"owner_groups": ["research"]}, method="PATCH")
    places = {"tag": "base", "operation_id": owned["operation_id"]}
    routes = [each for each in ROUTES if any(f"{{{name}}}" in each.path for name in places)]

    def send(each: Request, people: People, token: str) -> HttpResponse:
        return people.send(each.method, each.at(places), token, BODIES.get(each.route.operation_id))

    with signing_in(driver_of_prepared.host, tmp_path) as people:
        token = people.token(OPERATE, groups=["others"])
        found = {each.operation_id: Request(each).outcome(send(Request(each), people, token)) for each in routes}
    assert found == {each.operation_id: "let in" if _only_looks(each) else "403" for each in routes}


def _only_looks(route: Route) -> bool:
    return route.method == "GET" and route.scope is Scope.READ


@pytest.mark.parametrize("held", [READ, OPERATE, ADMIN])
def test_the_gateway_is_let_in_as_far_as_the_caller_that_it_names(driver: Driver, held: Sequence[Scope]) -> None:
    claim: dict[str, JsonValue] = {"id": "ann", "scopes": [*held], "groups": [], "client": "agent"}
    found = outcomes(lambda each: signed(driver.host, each.method, each.path, each.body, claim=claim))
    assert found == by_scope(held)
    assert nothing_was_begun(driver)


def test_the_gateway_is_not_let_in_for_nobody(driver: Driver) -> None:
    found = outcomes(lambda each: signed(driver.host, each.method, each.path, each.body))
    # A path that is no route's is nobody's to refuse.
    assert found == everywhere("401") | {"unmatched": "let in"}


@pytest.mark.parametrize("function", ["api", "kubernetes", "token_claims"])
def test_no_other_role_comes_through_the_gateways_door(driver: Driver, function: str) -> None:
    claim = json.loads(FORGED)
    found = outcomes(lambda each: signed(driver.host, each.method, each.path, function=function, claim=claim))
    assert found == everywhere("403")


def test_a_token_is_nothing_at_the_gateways_door(people: People) -> None:
    headers = {"authorization": f"Bearer {people.token(ADMIN)}", CALLER_HEADER: FORGED}

    def send(each: Request) -> HttpResponse:
        return people.host.handle_internal(HttpRequest(each.method, each.path, "", headers))

    assert outcomes(send) == everywhere("403")


def to_agents_routes(send: Callable[[Request], HttpResponse]) -> dict[str, str]:
    """Send a request to each route of the gateway for agents, and say what became of it by operation id."""
    requests = [Request(route) for route in OF_AGENTS]
    return {each.route.operation_id: each.outcome(send(each)) for each in requests}


@pytest.mark.parametrize(
    ("scopes", "changed", "outcome"),
    [
        (READ, {}, "let in"),
        (ADMIN, {}, "let in"),
        ((Scope.OPERATE,), {}, "403"),
        ((), {}, "403"),
        (ADMIN, {"exp": 1}, "401"),
        (ADMIN, {"aud": "https://other.example/mcp"}, "401"),
        # A token of the API says nothing of an audience, and none of its scopes are the gateway's.
        (ADMIN, {"aud": None}, "401"),
        (ADMIN, {"scope": "instantstart/read instantstart/operate"}, "403"),
    ],
    ids=str,
)
def test_agents_routes_are_opened_by_tokens_that_were_made_for_them(
    people: People, scopes: Sequence[Scope], changed: dict[str, JsonValue], outcome: str
) -> None:
    asked = " ".join(mcp_scope(people.origin, scope) for scope in scopes)
    made: dict[str, JsonValue] = {"aud": mcp_url(people.origin), "client_id": IDS.agent, "scope": asked, **changed}
    token = people.token(scopes, changed=made)
    found = to_agents_routes(lambda each: people.send(each.method, each.path, token, each.body))
    assert found == {route.operation_id: outcome for route in OF_AGENTS}


def test_the_gateways_own_role_gets_back_into_no_gateway(driver: Driver) -> None:
    found = to_agents_routes(lambda each: signed(driver.host, each.method, each.path, claim=json.loads(FORGED)))
    assert found == {route.operation_id: "403" for route in OF_AGENTS}
