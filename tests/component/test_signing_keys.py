"""The keys of page tokens are secrets: read when a request signs, once in a function's life, unless a read failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from functions.core.signing import SECRETS
from tests.component.test_http_support import Edge, account, edge
from tests.component.test_ledger_support import ACCOUNT

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["account", "edge"]

# A list of the function `catalog`, whose first page ends in a token.
LIST = ("GET", "/api/catalog/instance_types")
READ = "GetSecretValue"


def secret(name: str) -> str:
    return f"arn:aws:secretsmanager:us-west-2:{ACCOUNT}:secret:{name}-AbCdEf"


def raising(error: Exception) -> Callable[..., None]:
    def fail(**_: object) -> None:
        raise error

    return fail


def refused(code: str, status: int) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "no"}, "ResponseMetadata": {"HTTPStatusCode": status}}, READ)  # type: ignore[typeddict-item]  # as much of it as is read


def reads(edge: Edge, *request: str, query: str = "limit=5") -> int:
    """How often a request reads a secret."""
    return edge.counting(*request, query=query).get(READ, 0)


def test_a_key_is_read_by_the_first_request_that_signs_and_by_no_later_one(edge: Edge) -> None:
    edge.account.rotate(2)
    assert [reads(edge, *LIST), reads(edge, *LIST)] == [1, 0]


def test_the_function_of_the_records_reads_the_key_of_its_pages_itself(edge: Edge) -> None:
    edge.create("t1")
    edge.create("t2")
    edge.account.rotate(2)
    clusters = ("GET", "/api/clusters")
    assert [reads(edge, *clusters, query="limit=1"), reads(edge, *clusters, query="limit=1")] == [1, 0]


def test_the_former_key_is_read_only_for_what_the_newest_has_not_signed(edge: Edge) -> None:
    old = edge.send(*LIST, query="limit=5").body["next_token"]
    edge.account.rotate(2)
    edge.account.rotate(3)
    new = edge.send(*LIST, query="limit=5").body["next_token"]
    assert reads(edge, *LIST, query=f"limit=5&next_token={new}") == 0
    with edge.account.counted() as calls:
        assert edge.send(*LIST, query=f"limit=5&next_token={old}").body["code"] == "invalid_page_token"
    assert calls.count(READ) == 1


def test_what_the_newest_key_has_signed_is_good_though_the_former_cannot_be_read(edge: Edge) -> None:
    old = edge.send(*LIST, query="limit=5").body["next_token"]
    edge.account.rotate(2)
    edge.account.tell(edge.account.keys[2], secret("instantstart-signing-key-9"))
    new = edge.send(*LIST, query="limit=5").body["next_token"]
    assert edge.send(*LIST, query=f"limit=5&next_token={new}").status == 200
    assert edge.send(*LIST, query=f"limit=5&next_token={old}").body["code"] == "deployment_fault"


def test_a_request_that_signs_nothing_needs_no_key(edge: Edge) -> None:
    edge.create("t1")
    edge.account.tell(secret("instantstart-signing-key-9"))
    assert reads(edge, "GET", "/api/clusters/t1", query="") == 0


@pytest.mark.parametrize(
    ("name", "code"),
    [
        # The role reads no secret but those of keys.
        ("somebody-elses", "AccessDeniedException"),
        ("instantstart-signing-key-9", "ResourceNotFoundException"),
    ],
)
def test_a_key_that_cannot_be_read_is_the_deployments_fault_with_cause_and_remedy(
    edge: Edge, name: str, code: str
) -> None:
    edge.account.tell(secret(name))
    answer = edge.send(*LIST, query="limit=5")
    assert (answer.status, answer.body["code"], answer.fields) == (500, "deployment_fault", [SECRETS])
    cause = answer.body["cause"]
    assert (cause["service"], cause["api_call"], cause["code"]) == ("secretsmanager", READ, code)
    assert (cause["resource"], code in answer.body["detail"]) == (secret(name), True)
    assert "signing_key_generation" in answer.body["remedy"]


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (refused("ThrottlingException", 400), 429, "throttled"),
        (refused("InternalServiceError", 500), 503, "unavailable"),
        (ReadTimeoutError(endpoint_url="https://aws.example"), 503, "unavailable"),
    ],
    ids=["throttled", "failing", "silent"],
)
def test_a_read_that_fails_for_the_moment_is_told_so_and_made_again(
    edge: Edge, error: Exception, status: int, code: str
) -> None:
    edge.account.rotate(2)
    fail, event = raising(error), f"before-call.secrets-manager.{READ}"
    events = edge.account.runtime.client("secretsmanager", edge.account.runtime.patience).meta.events
    events.register(event, fail)
    answer = edge.send(*LIST, query="limit=5")
    assert (answer.status, answer.body["code"], answer.body["retryable"]) == (status, code, True)
    events.unregister(event, fail)
    assert edge.send(*LIST, query="limit=5").status == 200
