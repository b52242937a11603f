"""A repeated request gives the operation that it began, whatever has become of the cluster since."""

from __future__ import annotations

from functools import partial

import pytest

from functions.core.ledger.models import OperationStatus
from tests.component.test_http_support import HYPERPOD, Edge, account, edge, set_condition, standing
from tests.component.test_ledger_support import finish_operation

__all__ = ["account", "edge"]

REPEATED = [
    ("dependencies", {}, "DependenciesReady"),
    ("hyperpod", HYPERPOD, "HyperPodReady"),
    ("storage", {}, "StorageReady"),
]


@pytest.mark.case(68)
@pytest.mark.parametrize(("noun", "body", "made"), REPEATED, ids=[noun for noun, *_ in REPEATED])
def test_a_repeated_phase_gives_its_operation_whatever_became_of_the_cluster(
    edge: Edge, noun: str, body: object, made: str
) -> None:
    standing(edge, "t1", *({"FoundationReady", "DependenciesReady", "HyperPodReady"} - {made}))
    send = partial(edge.send, "POST", f"/api/clusters/t1/{noun}", body, key="k1")
    first = send().body["operation_id"]
    finish_operation(first, OperationStatus.SUCCEEDED)
    set_condition("t1", made)
    set_condition("t1", "FoundationReady", "False")
    again = send()
    assert (again.status, again.body["operation_id"], again.body["status"]) == (202, first, "SUCCEEDED")


@pytest.mark.case(71)
def test_a_repeated_creation_asks_for_no_zone(edge: Edge) -> None:
    first = edge.create(key="k1")
    finish_operation(first.body["operation_id"], OperationStatus.FAILED)
    with edge.account.counted() as calls:
        again = edge.create(key="k1")
    assert again.body["operation_id"] == first.body["operation_id"]
    assert calls == ["GetItem", "Query"]


def test_a_repeat_is_known_by_what_was_sent(edge: Edge) -> None:
    body = {"tag": "t1", "hyperpod": HYPERPOD | {"availability_zone": "usw2-az3"}}
    first = edge.send("POST", "/api/clusters", body, key="k1")
    assert edge.send("POST", "/api/clusters", body, key="k1").body["operation_id"] == first.body["operation_id"]
    spelt_out = {**body, "storage": {"name": "s3-claim"}}
    assert edge.send("POST", "/api/clusters", spelt_out, key="k1").body["code"] == "idempotency_key_reused"


@pytest.mark.case(71)
def test_a_repeated_hyperpod_request_gives_the_running_operation(edge: Edge) -> None:
    standing(edge, "t1", "FoundationReady", "DependenciesReady")
    send = partial(edge.send, "POST", "/api/clusters/t1/hyperpod", HYPERPOD, key="k1")
    assert send().body["operation_id"] == send().body["operation_id"]
