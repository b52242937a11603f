"""Namespaces of a cluster: made once, used as they are where others made them, listed within seconds."""

from __future__ import annotations

import pytest

from infra.local.faults import Fault, Kind
from infra.local.kubernetes.resources import NAMESPACES
from tests.host.driver import Driver, Json, stage_of

PATH = "/api/clusters/base/namespaces"
CLUSTER = "eks-cluster-base"
ROLE = "instantstart-kubernetes-operator"
# Case 74: an answer within ten seconds, whatever the API server does.
ANSWER_SECONDS = 10


@pytest.fixture
def driver(driver_of_prepared: Driver) -> Driver:
    return driver_of_prepared


def labels_of(driver: Driver, name: str) -> dict[str, str]:
    return {key: str(value) for key, value in metadata_of(driver, name)["labels"].items()}


def metadata_of(driver: Driver, name: str) -> Json:
    found: Json = driver.host.world.kubernetes[CLUSTER].store.get(NAMESPACES, name)
    metadata: Json = found["metadata"]
    return metadata


def make(driver: Driver, name: str, **labels: str) -> None:
    """Make a namespace as somebody else would."""
    store = driver.host.world.kubernetes[CLUSTER].store
    store.create(NAMESPACES, {"metadata": {"name": name, "labels": labels}, "status": {"phase": "Active"}})


def changed_by(driver: Driver, name: str, **labels: str) -> list[tuple[str, str]]:
    """What a preview says of a namespace: what becomes of it, and why."""
    answer = driver.send("POST", f"{PATH}?dry_run=true", {"name": name, "labels": labels})
    assert (answer.status, answer.body["findings"]) == (200, []), answer
    return [(each["action"], each["reason"]) for each in answer.body["preview"]["changes"]]


def listed(driver: Driver) -> dict[str, Json]:
    return {each["name"]: each for each in driver.get(f"{PATH}?limit=200")["namespaces"]}


def test_a_namespace_is_made_with_its_labels_and_changed_by_the_same_request_with_others(driver: Driver) -> None:
    level = {"pod-security.kubernetes.io/enforce": "baseline", "team": "research"}
    preview = driver.send("POST", f"{PATH}?dry_run=true", {"name": "research", "labels": level}).body["preview"]
    assert [(each["action"], each["name"]) for each in preview["changes"]] == [("create", "research")]
    assert "research" not in listed(driver)
    operation = driver.run(PATH, {"name": "research", "labels": level})
    assert (operation["kind"], operation["status"]) == ("create_namespace", "SUCCEEDED"), operation["error"]
    assert level.items() <= labels_of(driver, "research").items()
    seen = listed(driver)
    assert (seen["research"]["ours"], seen["research"]["phase"], seen["default"]["ours"]) == (True, "Active", False)
    assert changed_by(driver, "research", **level) == [
        ("keep", "the control plane made it, and its labels are as wanted")
    ]
    assert changed_by(driver, "research", team="other") == [
        ("change", "its labels, from pod-security.kubernetes.io/enforce=baseline, team=research to team=other")
    ]
    assert driver.run(PATH, {"name": "research", "labels": {"team": "other"}})["status"] == "SUCCEEDED"
    found = labels_of(driver, "research")
    assert found["team"] == "other"
    assert "pod-security.kubernetes.io/enforce" not in found


def test_a_namespace_of_somebody_else_is_used_as_it_is(driver: Driver) -> None:
    make(driver, "theirs", team="them")
    before = labels_of(driver, "theirs")
    [(action, reason)] = changed_by(driver, "theirs", team="us")
    assert (action, "used as it is" in reason) == ("keep", True)
    operation = driver.run(PATH, {"name": "theirs", "labels": {"team": "us"}})
    assert operation["status"] == "SUCCEEDED", operation["error"]
    stage = stage_of(operation, "namespace:theirs")
    assert (stage["result"]["ours"], "is not ours" in stage["message"]) == (False, True)
    assert labels_of(driver, "theirs") == before


def test_labels_that_others_put_on_a_namespace_of_ours_are_no_change_of_it(driver: Driver) -> None:
    driver.run(PATH, {"name": "research", "labels": {"team": "us"}})
    found: Json = driver.host.world.kubernetes[CLUSTER].store.get(NAMESPACES, "research")
    found["metadata"]["labels"]["istio-injection"] = "enabled"
    driver.host.world.kubernetes[CLUSTER].store.upsert(NAMESPACES, found)
    assert [action for action, _ in changed_by(driver, "research", team="us")] == ["keep"]


def test_a_namespace_that_is_being_deleted_is_refused_before_anything_begins(driver: Driver) -> None:
    make(driver, "leaving")
    found: Json = driver.host.world.kubernetes[CLUSTER].store.get(NAMESPACES, "leaving")
    found["status"]["phase"] = "Terminating"
    driver.host.world.kubernetes[CLUSTER].store.upsert(NAMESPACES, found)
    previewed = driver.send("POST", f"{PATH}?dry_run=true", {"name": "leaving"}).body
    assert [each["check"] for each in previewed["findings"]] == ["namespace_terminating"]
    assert previewed["preview"]["digest"] is None
    refused = driver.send("POST", PATH, {"name": "leaving"})
    assert (refused.status, refused.body["code"], refused.fields) == (409, "conflict", ["name"])


@pytest.mark.case(74)
def test_a_cluster_that_does_not_answer_leaves_a_namespace_unchecked_within_seconds(driver: Driver) -> None:
    make(driver, "theirs")
    hangs = Fault("kubernetes", "GET namespaces", Kind.HANG, times=9, role=ROLE)
    began = driver.host.clock.time()
    with driver.host.faults.planned(hangs):
        answer = driver.send("POST", f"{PATH}?dry_run=true", {"name": "theirs"})
    assert driver.host.clock.time() - began < ANSWER_SECONDS
    [finding] = answer.body["findings"]
    assert (answer.status, finding["check"], finding["level"]) == (200, "namespace", "warning")
    assert finding["message"].startswith("unchecked: ")
    [change] = answer.body["preview"]["changes"]
    assert (change["action"], "used as it is" in change["reason"]) == ("create", True)


def test_a_namespace_whose_worker_died_after_it_was_made_is_found_and_kept(driver: Driver) -> None:
    killed = Fault("kubernetes", "PATCH namespaces", Kind.KILL_AFTER, role=ROLE)
    operation = driver.failing(PATH, {"name": "research"}, killed)
    assert (operation["status"], killed.seen) == ("SUCCEEDED", 2), operation["error"]
    assert listed(driver)["research"]["ours"]


@pytest.mark.parametrize("name", ["kube-public", "default", "Team"])
def test_a_reserved_name_and_one_that_is_none_are_refused(driver: Driver, name: str) -> None:
    answer = driver.send("POST", PATH, {"name": name})
    assert (answer.status, answer.fields) == (400, ["name"])


def test_namespaces_are_listed_page_by_page_as_the_cluster_has_them(driver: Driver) -> None:
    found, path = list[str](), f"{PATH}?limit=2"
    while path:
        page = driver.get(path)
        found += [each["name"] for each in page["namespaces"]]
        path = f"{PATH}?limit=2&next_token={page['next_token']}" if page["next_token"] else ""
    there: list[Json] = [*driver.host.world.kubernetes[CLUSTER].store.select(NAMESPACES)]
    assert found == [each["metadata"]["name"] for each in there]
    assert len(found) > 2


def test_a_page_whose_place_the_cluster_has_forgotten_starts_anew(driver: Driver) -> None:
    token = driver.get(f"{PATH}?limit=1")["next_token"]
    gone = Fault("kubernetes", "GET namespaces", Kind.REFUSE, role=ROLE, refusal=("Expired", "too old"))
    with driver.host.faults.planned(gone):
        answer = driver.send("GET", f"{PATH}?limit=1&next_token={token}")
    assert (answer.status, answer.body["code"]) == (400, "invalid_page_token")


@pytest.mark.case(74)
def test_an_api_server_that_never_answers_is_named_within_ten_seconds(driver: Driver) -> None:
    hangs = Fault("kubernetes", "GET namespaces", Kind.HANG, times=9, role=ROLE)
    began = driver.host.clock.time()
    with driver.host.faults.planned(hangs):
        answer = driver.send("GET", PATH)
    assert driver.host.clock.time() - began < ANSWER_SECONDS
    assert (answer.status, answer.body["cause"]["code"], answer.body["retryable"]) == (503, "K8S_UNREACHABLE", True)
    assert CLUSTER in answer.body["detail"]
    assert "endpoint" in answer.body["remedy"]


@pytest.mark.case(75)
def test_a_token_that_is_refused_is_renewed_once_and_then_the_missing_entry_is_named(driver: Driver) -> None:
    driver.get(PATH)
    refused = Fault("kubernetes", "GET namespaces", Kind.REFUSE, role=ROLE, refusal=("Unauthorized", "who?"))
    with driver.host.faults.planned(refused):
        assert driver.send("GET", PATH).status == 200
    driver.sleep(16 * 60)
    assert driver.send("GET", PATH).status == 200
    refused = Fault("kubernetes", "GET namespaces", Kind.REFUSE, times=9, role=ROLE, refusal=("Unauthorized", "who?"))
    with driver.host.faults.planned(refused):
        answer = driver.send("GET", PATH)
    assert (answer.status, answer.body["cause"]["code"]) == (409, "K8S_ACCESS_ENTRY_MISSING")
    assert ROLE in answer.body["remedy"]
    assert "Bearer" not in str(answer.body)


def test_a_kubeconfig_names_the_cluster_and_refuses_whoever_cannot_be_assumed(driver: Driver) -> None:
    response = driver.host.request("GET", "/api/clusters/base/kubeconfig")
    assert (response.status, response.headers["content-type"]) == (200, "application/yaml")
    text = response.body.decode()
    assert f'"{CLUSTER}"' in text
    assert driver.host.client("eks").describe_cluster(name=CLUSTER)["cluster"]["endpoint"] in text
    user = driver.send("GET", "/api/clusters/base/kubeconfig?role_arn=arn:aws:iam::123456789012:user/ann")
    assert (user.status, user.fields) == (400, ["role_arn"])
    assert driver.send("GET", "/api/clusters/nothing/kubeconfig").status == 404


def test_namespaces_of_a_cluster_that_gave_us_no_rights_yet_are_a_conflict_with_its_state(
    driver_of_base: Driver,
) -> None:
    answer = driver_of_base.send("GET", "/api/clusters/base/namespaces")
    assert (answer.status, answer.body["code"]) == (409, "precondition_failed")
    assert "cannot list resource" in answer.body["detail"]
    assert "dependencies" in answer.body["remedy"]
