"""Stages that speak to Kubernetes while its API server is overloaded, fails, hangs, or knows nobody any more."""

from __future__ import annotations

import pytest

from infra.local.faults import Fault, Kind
from infra.local.kubernetes.resources import SECRETS
from tests.host.driver import Driver, hyperpod_request, stage_of

# Longest answers of the API server: 3 s to connect, 10 s to answer, and 20 s until a stage asks again.
HANG_SECONDS, AGAIN_SECONDS, TURN_SECONDS = 13, 20, 300
# What an operation on storage takes to begin: a session of its function, and in it the role that the cluster lets in.
SIGN_INS = 2
ROLES = "arn:aws:iam::123456789012:role/instantstart/us-west-2/instantstart-kubernetes-"
CLAIM = "GET persistentvolumeclaims"
MOUNT = "mount:s3-claim"
STORAGE = "/api/clusters/ready/storage"


def at_door(call: str, kind: Kind, first: int = 1, times: int = 1) -> Fault:
    return Fault(
        "kubernetes", call, kind, first, times, role="instantstart-kubernetes-", refusal=("Unauthorized", "who?")
    )


def sign_ins() -> Fault:
    """A fault that never strikes and counts how often a role was assumed for a token."""
    return Fault("sts", "AssumeRole", Kind.THROTTLE, first=1_000)


def all_kinds(call: str) -> list[Fault]:
    kinds = (
        Kind.THROTTLE,
        Kind.FAIL_BEFORE,
        Kind.FAIL_AFTER,
        Kind.REFUSE,
        Kind.HANG,
        Kind.KILL_BEFORE,
        Kind.KILL_AFTER,
    )
    return [at_door(call, kind, first) for first, kind in enumerate(kinds, 1)]


@pytest.mark.parametrize(
    ("phase", "call"),
    [
        pytest.param("dependencies", "GET secrets", id="helm"),
        pytest.param("storage", "PATCH persistentvolumes", id="mount"),
    ],
)
def test_a_stage_outlasts_an_api_server_that_is_overloaded_fails_and_takes_its_worker_along(
    driver_of_ready: Driver, phase: str, call: str
) -> None:
    driver = driver_of_ready
    operation = driver.failing(f"/api/clusters/ready/{phase}", None, *all_kinds(call), *all_kinds(CLAIM))
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert {stage["attempt"] for stage in operation["stages"]} == {1}
    # The release that stood is still the first one.
    store = driver.host.world.kubernetes["eks-cluster-ready"].store
    assert len(store.select(SECRETS, "kube-system", "owner=helm,name=dependencies")) == 1


def test_a_mount_whose_probe_went_through_need_not_read_its_claim_to_know(driver_of_ready: Driver) -> None:
    counted = at_door(CLAIM, Kind.REFUSE, first=1_000)
    operation = driver_of_ready.failing(STORAGE, None, counted)
    turns = driver_of_ready.states("stage", operation["operation_id"])
    # Of the mount's two applications only the first reads the claim; each observation does, that of `verify` too.
    assert (operation["status"], turns.count("Apply")) == ("SUCCEEDED", 3)
    assert counted.seen == turns.count("Observe") + 1


def test_nodes_are_awaited_while_the_api_server_fails_and_hangs(driver_of_prepared: Driver) -> None:
    planned = all_kinds("GET nodes")
    operation = driver_of_prepared.failing("/api/clusters/base/hyperpod", hyperpod_request(), *planned)
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert [(group["count"], group["ready"]) for group in operation["result"]["nodes"]] == [(1, 1)]


@pytest.mark.case(74)
@pytest.mark.parametrize("call", ["PATCH persistentvolumes", CLAIM])
def test_a_hanging_api_server_never_holds_a_worker_past_its_timeouts(driver_of_ready: Driver, call: str) -> None:
    driver = driver_of_ready
    began = driver.host.clock.time()
    with driver.host.faults.planned(at_door(call, Kind.HANG, times=2)):
        begun = driver.post(STORAGE)
        said = driver.until_said(begun["operation_id"], MOUNT, f"did not answer {call.partition(' ')[0]}", every=5)
        assert said["status"] == "RUNNING"
        assert driver.host.clock.time() - began < HANG_SECONDS + AGAIN_SECONDS
    operation = driver.finish(begun["operation_id"], within=TURN_SECONDS)
    assert operation["status"] == "SUCCEEDED", operation["error"]


@pytest.mark.case(75)
def test_a_token_of_an_operation_serves_for_fourteen_minutes_and_is_then_renewed(driver_of_ready: Driver) -> None:
    driver, counted = driver_of_ready, sign_ins()
    with driver.host.faults.planned(counted):
        with driver.host.faults.planned(at_door(CLAIM, Kind.THROTTLE, times=1_000)):
            begun = driver.post(STORAGE)["operation_id"]
            # The function's session of the operation, and in it the role that the cluster lets in.
            for minutes, expected in ((13, 2), (3, 3), (13, 4)):
                driver.sleep(minutes * 60)
                assert counted.seen == expected
        assert driver.finish(begun)["status"] == "SUCCEEDED"


@pytest.mark.case(75)
def test_a_token_that_is_refused_is_renewed_once_and_a_second_refusal_names_the_role(driver_of_ready: Driver) -> None:
    driver, counted = driver_of_ready, sign_ins()
    driver.run(STORAGE)
    operation = driver.failing(STORAGE, None, at_door(CLAIM, Kind.REFUSE), counted)
    assert (operation["status"], counted.seen) == ("SUCCEEDED", SIGN_INS + 1), operation["error"]
    failed = driver.failing(STORAGE, None, at_door(CLAIM, Kind.REFUSE, times=99))
    assert (failed["status"], stage_of(failed, MOUNT)["status"]) == ("FAILED", "FAILED")
    assert failed["error"]["cause"]["code"] == "K8S_ACCESS_ENTRY_MISSING"
    assert ROLES in failed["error"]["remedy"]
    assert "Bearer" not in str(failed["error"])
