"""Agents that sign with a role: the internal door lets them speak to the gateway, as whom their signature names."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest
from botocore.credentials import Credentials

from functions.core.caller import CALLER_HEADER
from tests.host.agents import Agent
from tests.host.driver import Driver
from tests.host.roles import request_by, session_of
from tests.host.states import AGENT_ROLE, LOOKING_ROLE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from infra.local.messages import HttpRequest, HttpResponse

# How a signature names the role: without its path.
SIGNER: Final = "arn:aws:sts::123456789012:assumed-role/deployer"
LIST: Final[Mapping[str, JsonValue]] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
FORGED: Final = {CALLER_HEADER: json.dumps({"id": "root", "scopes": ["admin"], "groups": [], "client": "forged"})}


class SigningAgent(Agent):
    """An agent that comes to the door of roles; it signs anew whatever it sends."""

    @property
    def keys(self) -> Credentials:
        """The keys of a session of the role that it has."""
        return session_of(self.host, AGENT_ROLE)

    def send(self, content: bytes, **headers: str) -> HttpResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {"mcp-protocol-version": self.revision, **self.headers, **named}
        return self.host.handle_internal(request_by(self.keys, "POST", f"/mcp?{self.query}", content, sent))


def called(keys: Credentials, path: str = "/mcp", headers: Mapping[str, str] | None = None) -> HttpRequest:
    return request_by(keys, "POST", path, json.dumps(LIST).encode(), headers)


def answer_to(driver: Driver, request: HttpRequest) -> tuple[int, dict[str, JsonValue]]:
    answer = driver.host.handle_internal(request)
    return answer.status, json.loads(answer.body)


def tools_seen(driver: Driver, role: str) -> set[str]:
    status, body = answer_to(driver, called(session_of(driver.host, role)))
    assert status == 200, body
    result = body["result"]
    assert isinstance(result, dict) and isinstance(result["tools"], list)
    return {str(tool["name"]) for tool in result["tools"] if isinstance(tool, dict)}


def test_a_role_works_with_the_tools_of_its_group_and_the_ledger_names_the_role(driver: Driver) -> None:
    assert "cluster_create" in tools_seen(driver, AGENT_ROLE)
    agent = SigningAgent(driver.host)
    begun = agent.done("cluster_create", tag="signed")
    operation = driver.get(f"/api/operations/{begun['operation_id']}")
    assert operation["actor"] == {"id": SIGNER, "channel": "agent", "client": "night-shift"}
    assert agent.follow(begun)["status"] == "SUCCEEDED"


def test_a_role_of_readers_sees_and_does_what_reads(driver: Driver) -> None:
    assert "cluster_list" in (seen := tools_seen(driver, LOOKING_ROLE))
    assert "cluster_create" not in seen


def test_the_choices_of_the_address_count_for_a_role_too(driver: Driver) -> None:
    listed = SigningAgent(driver.host, "readonly&toolsets=audit").ask("tools/list")["tools"]
    assert {tool["annotations"]["readOnlyHint"] for tool in listed} == {True}


def test_agents_of_one_role_work_on_clusters_that_they_name_whatever_the_other_has_chosen(driver: Driver) -> None:
    one, other = SigningAgent(driver.host), SigningAgent(driver.host)
    assert one.follow(one.done("cluster_create", tag="ones"))["status"] == "SUCCEEDED"
    one.done("cluster_switch", clusterTag="ones")
    assert other.follow(other.done("cluster_create", tag="others"))["status"] == "SUCCEEDED"
    other.done("cluster_switch", clusterTag="others")
    assert "the active cluster, others." in one.done("cluster_get_status")["note"], "they are one caller"
    named: dict[str, JsonValue] = {"clusterTag": "ones"}
    for name in ("cluster_get_status", "cluster_get_instance_groups", "s3_storage_get_defaults"):
        assert one.done(name, **named)["tag"] == "ones", name
    assert one.done("cluster_configure_dependencies", **named)["cluster_tag"] == "ones"


@pytest.mark.parametrize("method", ["GET", "POST", "PATCH", "DELETE"])
@pytest.mark.parametrize("path", ["/api/clusters", "/api/clusters?dry_run=true", "/api/clusters/mcp", "/mcp/x"])
def test_a_role_of_an_agent_comes_no_further_than_the_gateway(driver: Driver, method: str, path: str) -> None:
    """A cluster named mcp has an address that ends as the gateway's does."""
    keys = session_of(driver.host, AGENT_ROLE)
    status, body = answer_to(driver, request_by(keys, method, path, b"{}", FORGED))
    assert (status, body["message"]) in ((403, "Forbidden"), (404, "Not Found"))
    assert not driver.get("/api/operations")["operations"]


def test_whoever_signs_is_who_calls_whatever_a_header_claims(driver: Driver) -> None:
    agent = SigningAgent(driver.host, headers=FORGED)
    begun = agent.done("cluster_create", tag="signed")
    assert driver.get(f"/api/operations/{begun['operation_id']}")["actor"]["id"] == SIGNER
    refused = SigningAgent(driver.host, headers=FORGED).call("cluster_delete", tag="signed", dry_run=True)
    assert (refused.is_error, refused.content["code"]) == (True, "forbidden"), "the header's scope was that of admins"


@pytest.mark.parametrize("role", ["role/others", "role/agents/watcher"])
def test_another_role_of_the_account_is_refused_even_under_a_name_that_is_let_in(driver: Driver, role: str) -> None:
    assert answer_to(driver, called(session_of(driver.host, f"arn:aws:iam::123456789012:{role}"))) == (
        403,
        {"message": "Forbidden"},
    )


def test_nobody_comes_in_unsigned_or_with_a_wrong_signature(driver: Driver) -> None:
    keys = session_of(driver.host, AGENT_ROLE)
    genuine = called(keys)
    unsigned = {
        name: value for name, value in genuine.headers.items() if not name.startswith(("authorization", "x-amz"))
    }
    wrong = (
        replace(genuine, headers=unsigned),
        replace(genuine, body=genuine.body.replace(b"list", b"call")),
        replace(genuine, headers={**genuine.headers, "content-length": "1"}),
        called(Credentials(keys.access_key, "x" * 40, keys.token)),
        called(Credentials(keys.access_key, keys.secret_key)),
        called(Credentials("local", "local")),
    )
    assert [answer_to(driver, each) for each in wrong] == [(403, {"message": "Forbidden"})] * len(wrong)
    assert answer_to(driver, genuine)[0] == 200


def test_a_session_that_has_ended_speaks_to_nobody(driver: Driver) -> None:
    keys = session_of(driver.host, AGENT_ROLE)
    driver.sleep(3600)
    assert answer_to(driver, called(keys)) == (403, {"message": "Forbidden"})
