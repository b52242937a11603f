"""The whole app, deployed by CDK's own command line into an emulated AWS, does its work there."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import pytest
from websockets.exceptions import InvalidStatus

from infra.host.stack import NAME
from infra.host.web_socket import STAGE
from infra.shapes import ROOT
from tests.infrastructure.deployment import PLACE, an_object
from tests.infrastructure.emulator import Answer, Deployed, emulating
from tests.infrastructure.outsiders import run

if TYPE_CHECKING:
    from pathlib import Path

    from websockets.sync.client import ClientConnection

ENDED: Final = {"SUCCEEDED", "FAILED", "CANCELLED"}
PATIENCE_SECONDS: Final = 180
_APP: Final = f"{sys.executable} -m tests.infrastructure.emulated_app"
_CHOICES: Final = {"charts": "stand_in", "architecture": "x86_64"}


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    """Our app in an account that has been bootstrapped as CDK wants it."""
    scratch = tmp_path_factory.mktemp("emulator")
    with emulating(scratch) as emulator:
        cdk("bootstrap", f"aws://{PLACE.account}/{PLACE.region}", env=emulator.environment, folder=scratch)
        outputs = scratch / "outputs.json"
        cdk(
            "deploy",
            *("--app", _APP, "--output", scratch / "cdk.out", "--outputs-file", outputs),
            *("--context", f"emulator={emulator.url}", "--context", f"instantstart={json.dumps(_CHOICES)}"),
            *("--require-approval", "never", "--parameters", "RehearsalOnly=stand-in charts"),
            env={**emulator.environment, "PYTHONPATH": str(ROOT)},
            folder=scratch,
        )
        pages = emulator.cloudformation().get_paginator("list_stack_resources").paginate(StackName=NAME)
        found = [each for page in pages for each in page["StackResourceSummaries"]]
        apis = {each["LogicalResourceId"]: each for each in found if each["ResourceType"] == "AWS::ApiGatewayV2::Api"}
        ids = {name: each["PhysicalResourceId"] for name, each in apis.items()}
        yield Deployed(emulator, ids, json.loads(outputs.read_text(encoding="utf-8"))[NAME])


@pytest.fixture(scope="module")
def token(deployed: Deployed) -> str:
    return deployed.token()


def cdk(*arguments: str | Path, env: dict[str, str], folder: Path) -> None:
    """Run CDK's command line and let it succeed; a stack that does not come to an end is given up."""
    ended = run("cdk", *arguments, "--no-notices", "--no-color", env=env, folder=folder, seconds=400)
    assert ended.returncode == 0, f"{ended.stdout[-4000:]}\n{ended.stderr[-4000:]}"


def test_a_route_answers_whoever_has_a_token_and_nobody_else(deployed: Deployed, token: str) -> None:
    assert deployed.call("GET", "/api/clusters", None).status == 401
    assert deployed.call("GET", "/api/clusters", f"{token}x").status == 401
    assert deployed.call("GET", "/api/clusters", token) == Answer(200, {"clusters": [], "next_token": None})


def test_a_token_without_the_scope_of_a_route_is_refused_at_the_door(deployed: Deployed, token: str) -> None:
    assert deployed.call("DELETE", "/api/clusters/none", token).status == 403


def test_a_list_goes_on_with_a_token_that_the_deployed_key_has_signed(deployed: Deployed, token: str) -> None:
    path = "/api/catalog/instance_types?limit=5"
    first = deployed.call("GET", path, token)
    assert first.status == 200, first
    second = deployed.call("GET", f"{path}&next_token={first.body['next_token']}", token)
    assert second.status == 200, second
    assert second.body["instance_types"] != first.body["instance_types"]


def test_the_release_and_the_documents_lie_where_functions_and_viewers_look(deployed: Deployed) -> None:
    s3 = deployed.emulator.objects
    assert f"{deployed.outputs['Release']}/foundation.yaml" in s3(deployed.outputs["ArtifactBucket"])
    assert "config.json" in s3(PLACE.bucket("console"))


def test_an_operation_is_begun_run_and_told_to_whoever_watches_until_its_end(deployed: Deployed, token: str) -> None:
    ticket = deployed.call("POST", "/api/tickets", token, {}).body["ticket"]
    with deployed.emulator.connect(deployed.host("EdgeWebSocket"), f"/{STAGE}?ticket={ticket}") as watching:
        watching.send(json.dumps({"action": "subscribe", "mine": True}))
        operation_id = begun(deployed, token)
        seen = statuses(watching, operation_id)
    assert seen[-1] == "FAILED"
    assert "RUNNING" in seen
    # The emulator has no service quotas, so the first stage asks again, and cannot wait there (README.md).
    ended = deployed.call("GET", f"/api/operations/{operation_id}", token).body
    stages = ended["stages"]
    assert isinstance(stages, list)
    first = an_object(stages[0])
    assert (first["name"], first["attempt"], first["reason"]) == ("preflight", 1, "LOST")
    assert "network_quota" in str(first["message"])
    assert an_object(ended["error"])["code"] == "operation_lost"


def test_a_ticket_opens_one_connection_and_nothing_else_does(deployed: Deployed, token: str) -> None:
    host = deployed.host("EdgeWebSocket")
    ticket = deployed.call("POST", "/api/tickets", token, {}).body["ticket"]
    with deployed.emulator.connect(host, f"/{STAGE}?ticket={ticket}") as opened:
        opened.send(json.dumps({"action": "ping"}))
        assert json.loads(opened.recv(timeout=PATIENCE_SECONDS))["type"] == "pong"
    for refused in (ticket, "made-up"):
        with pytest.raises(InvalidStatus), deployed.emulator.connect(host, f"/{STAGE}?ticket={refused}"):
            pass


def begun(deployed: Deployed, token: str) -> str:
    """Begin an operation; a function that has just been started may not be answered in time, and says to ask again."""

    def ask() -> Answer:
        return deployed.call("POST", "/api/clusters", token, {"tag": "rehearsed"}, key="rehearsed")

    answer, asked = ask(), 1
    while answer.status == 503 and asked < 5:
        assert answer.body["retryable"] is True
        answer, asked = ask(), asked + 1
    assert answer.status == 202, answer
    return str(answer.body["operation_id"])


def statuses(watching: ClientConnection, operation_id: str) -> list[str]:
    """Read messages until an operation has ended; give its statuses in the order in which they were told."""
    seen: list[str] = []
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not seen or seen[-1] not in ENDED:
        message = an_object(json.loads(watching.recv(timeout=deadline - time.monotonic())))
        if message.get("operation_id") == operation_id and message["type"] == "operation":
            seen.append(str(an_object(message["operation"])["status"]))
    return seen
