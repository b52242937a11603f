"""What the whole control plane makes of repeated, simultaneous, conflicting and malformed requests."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.host.driver import Driver, cluster_request, hyperpod_request

AT_ONCE = 50


def test_the_same_key_gives_the_same_operation_and_one_execution(driver: Driver) -> None:
    first = driver.post("/api/clusters", cluster_request("t1"), "k1")
    again = driver.post("/api/clusters", cluster_request("t1"), "k1")
    assert again["operation_id"] == first["operation_id"]
    assert [each["name"] for each in driver.executions("create_cluster")] == [first["operation_id"]]


def test_the_same_key_after_the_end_gives_the_ended_operation(driver_of_ready: Driver) -> None:
    first = driver_of_ready.post("/api/clusters/ready/storage", {}, "k1")
    ended = driver_of_ready.finish(first["operation_id"])
    again = driver_of_ready.post("/api/clusters/ready/storage", {}, "k1")
    assert (again["operation_id"], again["status"]) == (first["operation_id"], ended["status"])
    assert len(driver_of_ready.executions("create_storage")) == 1


def test_the_same_key_with_another_body_is_refused_and_names_the_first_operation(driver: Driver) -> None:
    first = driver.post("/api/clusters", cluster_request("t1"), "k1")
    answer = driver.send("POST", "/api/clusters", cluster_request("t1", count=2), "k1")
    assert (answer.status, answer.body["code"]) == (422, "idempotency_key_reused")
    assert answer.body["operation_id"] == first["operation_id"]


@pytest.mark.case(68)
def test_fifty_requests_at_once_with_one_key_begin_one_operation(driver: Driver) -> None:
    request = cluster_request("t1")
    answers = driver.together([lambda: driver.send("POST", "/api/clusters", request, "k1")] * AT_ONCE)
    assert [answer.status for answer in answers] == [202] * AT_ONCE
    assert len({answer.body["operation_id"] for answer in answers}) == 1
    assert len(driver.executions("create_cluster")) == 1


def test_fifty_requests_at_once_on_one_tag_have_one_winner_whom_the_others_name(driver: Driver) -> None:
    request = cluster_request("t1")
    calls = [lambda key=f"k{n}": driver.send("POST", "/api/clusters", request, key) for n in range(AT_ONCE)]
    answers = driver.together(calls)
    winners = [answer.body["operation_id"] for answer in answers if answer.status == 202]
    losers = [answer for answer in answers if answer.status != 202]
    assert (len(winners), len(losers)) == (1, AT_ONCE - 1)
    # Whoever names nobody is shown with what it says instead.
    assert {(each.status, each.body.get("operation_id", str(each.body))) for each in losers} == {(409, winners[0])}
    assert [each["name"] for each in driver.executions("create_cluster")] == winners


def test_without_key_and_tag_every_request_is_a_cluster_of_its_own(driver: Driver) -> None:
    begun = driver.together([lambda: driver.post("/api/clusters", cluster_request())] * 3)
    assert len({operation["cluster_tag"] for operation in begun}) == 3
    assert len(driver.executions("create_cluster")) == 3


def test_a_scope_that_is_held_names_its_holder(driver_of_base: Driver) -> None:
    holder = driver_of_base.post("/api/clusters/base/dependencies", {})
    answer = driver_of_base.send("POST", "/api/clusters/base/dependencies", {})
    assert (answer.status, answer.body["code"]) == (409, "operation_in_progress")
    assert answer.body["operation_id"] == holder["operation_id"]
    assert answer.body["retryable"] is True


def test_a_tag_that_stands_cannot_be_created_again(driver_of_base: Driver) -> None:
    answer = driver_of_base.send("POST", "/api/clusters", cluster_request("base"))
    assert (answer.status, answer.body["code"]) == (409, "already_exists")
    assert driver_of_base.executions("create_cluster") == []


def test_a_phase_that_comes_too_early_says_what_is_missing(driver_of_base: Driver) -> None:
    answer = driver_of_base.send("POST", "/api/clusters/base/hyperpod", hyperpod_request())
    assert (answer.status, answer.body["code"]) == (409, "precondition_failed")
    assert "DependenciesReady" in answer.body["detail"]


def changed(**changes: object) -> dict[str, Any]:
    return cluster_request("t1") | changes


def with_group(**changes: object) -> dict[str, Any]:
    request = cluster_request("t1")
    request["hyperpod"]["instance_groups"][0] |= changes
    return request


LONG = "a-very-long-tag-with-more-than-forty-characters-0000000001"
GROUP = "hyperpod.instance_groups[0]"
BAD: dict[str, tuple[object, str, str | None]] = {
    "unknown field": (changed(colour="red"), "colour", "hyperpod"),
    "unknown field deep down": (with_group(colour="red"), f"{GROUP}.colour", "instance_type"),
    "text for a number": (with_group(instance_count="4"), f"{GROUP}.instance_count", None),
    "no instance": (with_group(instance_count=0), f"{GROUP}.instance_count", None),
    "a list for an object": (changed(hyperpod=[]), "hyperpod", None),
    "no such zone": (cluster_request("t1", zone="us-west-2q"), "hyperpod.availability_zone", "us-west-2a"),
    "a zone of another region": (cluster_request("t1", zone="use1-az3"), "hyperpod.availability_zone", "us-west-2a"),
    "no such instance type": (with_group(instance_type="ml.g6.5xlarge"), f"{GROUP}.instance_type", "ml.g6.4xlarge"),
    "no such capacity": (with_group(capacity_type="reserved"), f"{GROUP}.capacity_type", "on_demand"),
    "another region": (changed(region="eu-west-1"), "region", "us-west-2"),
    "a group named in unicode": (with_group(name="größe"), f"{GROUP}.name", None),
    "a thousand groups": (
        changed(hyperpod=hyperpod_request() | {"instance_groups": hyperpod_request()["instance_groups"] * 1000}),
        "hyperpod.instance_groups",
        None,
    ),
}
BAD_TAGS = {
    "upper case": "T1",
    "unicode": "\uff54\uff41\uff47",
    "an emoji": "gpu-🚀",
    "a line break": "t1\n",
    "a path": "../t1",
    "nothing": "",
    "a digit first": "1t",
}


@pytest.mark.parametrize(("body", "field", "allowed"), BAD.values(), ids=BAD)
def test_a_bad_field_is_named_with_what_would_be_right(
    driver: Driver, body: object, field: str, allowed: str | None
) -> None:
    answer = driver.send("POST", "/api/clusters", body)
    assert (answer.status, answer.body["code"]) == (400, "invalid_request")
    assert field in answer.fields
    named = next(error.get("allowed") for error in answer.body["errors"] if error["field"] == field)
    assert allowed is None or allowed in named


@pytest.mark.case(27)
@pytest.mark.parametrize(
    "tag", [LONG, "a" * 26, "A_very_long_tag_with_underscores_and_more_than_forty_characters_0000000001"]
)
def test_a_tag_is_no_longer_than_the_longest_name_made_from_it_allows(driver: Driver, tag: str) -> None:
    answer = driver.send("POST", "/api/clusters", changed(tag=tag))
    assert (answer.status, answer.fields) == (400, ["tag"])
    assert "25" in answer.body["errors"][0]["message"]


@pytest.mark.parametrize("tag", BAD_TAGS.values(), ids=BAD_TAGS)
def test_an_odd_tag_is_refused_in_the_body_and_unknown_in_the_path(driver: Driver, tag: str) -> None:
    answer = driver.send("POST", "/api/clusters", changed(tag=tag))
    assert (answer.status, answer.fields) == (400, ["tag"])


@pytest.mark.parametrize("body", [None, [], "text", 7, [[]]])
def test_a_body_that_is_no_object_is_refused(driver: Driver, body: object) -> None:
    answer = driver.send("POST", "/api/clusters", body)
    assert (answer.status, answer.body["code"]) == (400, "invalid_request")


@pytest.mark.parametrize("key", ["k" * 256, "ключ", "k#1", "a\tb"])
def test_an_odd_key_is_refused_by_name_or_serves_as_a_key(driver: Driver, key: str) -> None:
    answers = [driver.send("POST", "/api/clusters", cluster_request("t1"), key) for _ in range(2)]
    if answers[0].status == 202:
        assert answers[0].body["operation_id"] == answers[1].body["operation_id"]
    else:
        assert [(answer.status, answer.fields) for answer in answers] == [(400, ["idempotency-key"])] * 2


def test_a_zone_id_stands_for_its_zone(driver: Driver) -> None:
    zones = driver.host.client("ec2").describe_availability_zones()["AvailabilityZones"]
    zone = next(each for each in zones if each["ZoneName"] == "us-west-2c")
    begun = driver.post("/api/clusters", cluster_request("t1", zone=zone["ZoneId"]))
    assert begun["request"]["hyperpod"]["availability_zone"] == "us-west-2c"


@pytest.mark.case(11)
def test_what_others_made_in_the_account_is_not_among_the_clusters(driver_of_base: Driver) -> None:
    client = driver_of_base.host.client
    template = '{"Resources": {"Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.9.0.0/16"}}}}'
    client("cloudformation").create_stack(StackName="instantstart-billing", TemplateBody=template)
    ours = client("eks").describe_cluster(name="eks-cluster-base")["cluster"]
    subnets = ours["resourcesVpcConfig"]["subnetIds"]
    client("eks").create_cluster(
        name="eks-cluster-theirs", roleArn=ours["roleArn"], resourcesVpcConfig={"subnetIds": subnets}
    )
    driver_of_base.sleep(900)
    assert "eks-cluster-theirs" in client("eks").list_clusters()["clusters"]
    assert [cluster["tag"] for cluster in driver_of_base.get("/api/clusters")["clusters"]] == ["base"]
    assert driver_of_base.send("GET", "/api/clusters/theirs").status == 404


@pytest.mark.parametrize(
    ("said", "channel"), [("same-origin", "console"), ("cross-site", "rest"), ("none", "rest"), (None, "rest")]
)
def test_without_sign_in_the_console_is_known_by_what_its_browser_says(
    driver: Driver, said: str | None, channel: str
) -> None:
    headers = {"sec-fetch-site": said} if said else None
    answer = driver.host.request("POST", "/api/clusters", cluster_request("t1"), headers)
    assert json.loads(answer.body)["actor"]["channel"] == channel
