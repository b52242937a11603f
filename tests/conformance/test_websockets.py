"""WebSockets of `make run`, judged by a stock client on the network."""

from __future__ import annotations

import json
import socket
import time
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from tests.conformance.conftest import ENDED, PATIENCE_SECONDS, Json, LocalRun, serving


def opened(run: LocalRun) -> ClientConnection:
    answer = run.send("POST", "/tickets")
    assert answer.status == 201
    return connect(f"{run.endpoints['ws']}?ticket={answer.body['ticket']}", open_timeout=PATIENCE_SECONDS)


def received(client: ClientConnection) -> Json:
    message: Json = json.loads(client.recv(timeout=PATIENCE_SECONDS))
    return message


def test_a_client_watches_an_operation_to_its_end(local_run: LocalRun) -> None:
    operation_id = local_run.send("POST", "/clusters", {}).body["operation_id"]
    versions: list[int] = []
    with opened(local_run) as client:
        client.send(json.dumps({"action": "subscribe", "operation_id": operation_id}))
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            message = received(client)
            if message["type"] == "operation":
                versions.append(message["version"])
                if message["operation"]["status"] in ENDED:
                    break
            assert time.monotonic() < deadline, message
    assert message["operation"] == local_run.send("GET", f"/operations/{operation_id}").body
    assert len(set(versions)) > 3
    assert max(versions) == message["version"]


def test_without_a_ticket_the_handshake_is_refused_with_a_problem(local_run: LocalRun) -> None:
    with pytest.raises(InvalidStatus) as refused, connect(local_run.endpoints["ws"]):
        pass
    assert refused.value.response.status_code == 401
    assert json.loads(refused.value.response.body)["code"] == "unauthenticated"


def test_a_used_ticket_opens_nothing(local_run: LocalRun) -> None:
    ticket = local_run.send("POST", "/tickets").body["ticket"]
    address = f"{local_run.endpoints['ws']}?ticket={ticket}"
    with connect(address) as client:
        client.send('{"action": "ping"}')
        assert received(client) == {"type": "pong"}
    with pytest.raises(InvalidStatus), connect(address):
        pass


def test_a_frame_that_the_gateway_does_not_take_closes_the_connection(local_run: LocalRun) -> None:
    with opened(local_run) as client:
        client.send("x" * (32 * 1024 + 1))
        with pytest.raises(ConnectionClosed) as closed:
            client.recv(timeout=PATIENCE_SECONDS)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1009


def test_a_client_that_is_gone_before_its_answer_troubles_nobody(tmp_path: Path) -> None:
    with serving(tmp_path) as run:
        for _ in range(5):
            with opened(run) as gone:
                gone.send(json.dumps({"action": "subscribe", "cluster_tag": "nobody"}))
                gone.socket.shutdown(socket.SHUT_RDWR)
        with opened(run) as staying:
            staying.send('{"action": "ping"}')
            assert received(staying) == {"type": "pong"}
        run.process.terminate()
        rest, _ = run.process.communicate(timeout=PATIENCE_SECONDS)
    assert (run.process.returncode, rest) == (0, "")


def test_the_management_api_answers_at_the_aws_endpoint(local_run: LocalRun) -> None:
    client: Any = boto3.Session("local", "local", region_name=local_run.endpoints["region"]).client(
        "apigatewaymanagementapi",
        endpoint_url=local_run.endpoints["aws"],
        config=Config(retries={"total_max_attempts": 1}),
    )
    with pytest.raises(client.exceptions.GoneException):
        client.post_to_connection(ConnectionId="gone=", Data=b"{}")


def test_an_interrupt_ends_open_connections(tmp_path: Path) -> None:
    with serving(tmp_path) as run, opened(run) as client:
        began = time.monotonic()
        run.process.terminate()
        with pytest.raises(ConnectionClosed):
            client.recv(timeout=PATIENCE_SECONDS)
        rest, _ = run.process.communicate(timeout=PATIENCE_SECONDS)
        assert time.monotonic() - began < 3
    assert (run.process.returncode, rest) == (0, "")
