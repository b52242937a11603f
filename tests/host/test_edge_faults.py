"""The edge when its worker dies or AWS hangs: an answer within seconds, nothing half-done, nothing made twice."""

from __future__ import annotations

from datetime import timedelta

import pytest

from infra.local.faults import Fault, Kind
from tests.host.catalog import asked, cool
from tests.host.driver import Answer, Driver, cluster_request, hyperpod_request
from tests.workflows.reused import own

EDGE_SECONDS = 5
TABLE_WRITE = ("dynamodb", "TransactWriteItems")


def create(driver: Driver, key: str | None = "k1") -> Answer:
    return driver.send("POST", "/api/clusters", cluster_request("t1"), key)


def at_edge(service: str, operation: str, kind: Kind, times: int = 1) -> Fault:
    return Fault(service, operation, kind, times=times, role="function-api")


@pytest.mark.case(68)
@pytest.mark.parametrize(
    ("service", "operation", "kind"),
    [
        ("stepfunctions", "StartExecution", Kind.KILL_AFTER),
        ("stepfunctions", "StartExecution", Kind.KILL_BEFORE),
        ("stepfunctions", "StartExecution", Kind.FAIL_AFTER),
        ("dynamodb", "TransactWriteItems", Kind.KILL_AFTER),
        ("dynamodb", "TransactWriteItems", Kind.FAIL_AFTER),
        ("dynamodb", "TransactWriteItems", Kind.KILL_BEFORE),
    ],
)
def test_a_worker_that_dies_leaves_one_operation_for_the_second_call(
    driver: Driver, service: str, operation: str, kind: Kind
) -> None:
    with driver.host.faults.planned(at_edge(service, operation, kind)):
        first = create(driver)
    second = create(driver)
    assert second.status == 202
    assert first.status in (202, 500, 503)
    assert first.status != 202 or first.body["operation_id"] == second.body["operation_id"]
    driver.sleep(121)
    assert driver.operation(second.body["operation_id"])["status"] == "RUNNING"
    assert [each["name"] for each in driver.executions("create_cluster")] == [second.body["operation_id"]]
    assert len(driver.get("/api/operations")["operations"]) == 1
    other = driver.send("POST", "/api/clusters", cluster_request("t1", count=2), "k1")
    assert (other.status, other.body["code"]) == (422, "idempotency_key_reused")


def test_a_check_that_kills_its_thread_kills_the_worker_and_leaves_nothing(driver: Driver) -> None:
    with driver.host.faults.planned(at_edge("service-quotas", "GetServiceQuota", Kind.KILL_AFTER)):
        assert create(driver).status == 500
    assert driver.get("/api/operations")["operations"] == []
    assert create(driver).status == 202


def test_a_lost_start_is_healed_without_another_call(driver: Driver) -> None:
    with driver.host.faults.planned(at_edge("stepfunctions", "StartExecution", Kind.KILL_BEFORE)):
        assert create(driver).status == 500
    [lost] = driver.get("/api/operations?cluster_tag=t1")["operations"]
    assert lost["status"] == "PENDING"
    driver.sleep(121)
    assert driver.operation(lost["operation_id"])["status"] == "RUNNING"


def test_a_lease_that_an_ended_operation_left_is_freed_once_it_has_expired(driver: Driver) -> None:
    ended = driver.create({"tag": "t1"})
    clusters, tag = driver.host.deployed.environment["CLUSTERS_TABLE"], {"cluster_tag": {"S": "t1"}}
    expires = f"{driver.host.clock.now() + timedelta(seconds=30):%Y-%m-%dT%H:%M:%S.000Z}"
    left = {"owner": ended["operation_id"], "token": "token", "leased": "yes", "expires_at": expires}
    lease = {**tag, "record": {"S": "lease#drift"}, **{name: {"S": value} for name, value in left.items()}}
    driver.host.client("dynamodb").put_item(TableName=clusters, Item=lease)
    assert driver.send("POST", "/api/clusters/t1/drift").body["code"] == "operation_in_progress"
    driver.sleep(121)
    assert driver.send("POST", "/api/clusters/t1/drift").status == 202


@pytest.mark.case(71)
@pytest.mark.parametrize(
    ("service", "operation", "status"),
    [
        ("ec2", "DescribeAvailabilityZones", 202),
        ("ec2", "DescribeInstanceTypeOfferings", 202),
        ("sagemaker", "ListClusters", 202),
        ("service-quotas", "GetServiceQuota", 202),
        ("stepfunctions", "StartExecution", 202),
        ("dynamodb", "TransactWriteItems", 503),
    ],
)
def test_a_creation_is_answered_within_seconds_while_aws_hangs(
    driver: Driver, service: str, operation: str, status: int
) -> None:
    before = driver.host.clock.time()
    with driver.host.faults.planned(at_edge(service, operation, Kind.HANG, times=99)):
        first = create(driver)
        assert driver.host.clock.time() - before < EDGE_SECONDS
        again = create(driver)
    assert (first.status, again.status) == (status, status)
    if status == 503:
        assert first.body["retryable"] is True
        assert driver.get("/api/operations")["operations"] == []
        assert driver.get("/api/clusters")["clusters"] == []
    assert create(driver).status == 202
    assert len(driver.get("/api/operations")["operations"]) == 1


@pytest.mark.case(71)
def test_a_creation_is_answered_within_seconds_while_all_of_aws_hangs(driver: Driver) -> None:
    calls = [("ec2", "DescribeAvailabilityZones"), ("stepfunctions", "StartExecution"), TABLE_WRITE]
    before = driver.host.clock.time()
    with driver.host.faults.planned(*(at_edge(*call, Kind.HANG, times=99) for call in calls)):
        assert create(driver).status == 503
    assert driver.host.clock.time() - before < EDGE_SECONDS


@pytest.mark.case(71)
def test_a_creation_that_takes_everything_over_is_answered_as_soon_while_all_its_checks_hang(driver: Driver) -> None:
    calls = [
        ("ec2", "DescribeAvailabilityZones"),
        ("ec2", "DescribeSecurityGroups"),
        ("ec2", "DescribeSubnets"),
        ("ec2", "DescribeVpcs"),
        ("iam", "GetRole"),
        ("s3", "HeadBucket"),
        ("service-quotas", "GetServiceQuota"),
    ]
    request = cluster_request("t1") | {"foundation": own(driver).everything}
    before = driver.host.clock.time()
    with driver.host.faults.planned(*(at_edge(*call, Kind.HANG, times=99) for call in calls)):
        answer = driver.send("POST", "/api/clusters", request, "k1")
    assert driver.host.clock.time() - before < EDGE_SECONDS
    assert answer.status == 202, answer.body
    told = {each["check"] for each in answer.body["findings"] if each["message"].startswith("unchecked: ")}
    assert told >= {"reused_vpc", "reused_subnet", "reused_security_group", "reused_role", "reused_bucket", "zone"}
    assert [each["name"] for each in answer.body["stages"]][:2] == ["preflight", "reuse"]


@pytest.mark.case(71)
def test_a_phase_is_answered_within_seconds_while_aws_hangs_and_a_duplicate_gets_the_same(
    driver_of_base: Driver,
) -> None:
    path, driver = "/api/clusters/base/dependencies", driver_of_base
    before = driver.host.clock.time()
    with driver.host.faults.planned(at_edge("dynamodb", "Query", Kind.HANG)):
        answer = driver.send("POST", path, {}, "k1")
    assert (answer.status, answer.body["code"]) == (503, "unavailable")
    assert driver.host.clock.time() - before < EDGE_SECONDS
    with driver.host.faults.planned(at_edge("stepfunctions", "StartExecution", Kind.HANG)):
        first = driver.post(path, {}, "k1")
    assert driver.host.clock.time() - before < 2 * EDGE_SECONDS
    assert driver.post(path, {}, "k1")["operation_id"] == first["operation_id"]


@pytest.mark.case(71)
def test_a_hyperpod_request_is_answered_within_seconds_while_its_checks_and_the_table_hang(
    driver_of_prepared: Driver,
) -> None:
    driver, path = driver_of_prepared, "/api/clusters/base/hyperpod"
    before = driver.host.clock.time()
    offerings = at_edge("ec2", "DescribeInstanceTypeOfferings", Kind.HANG, times=99)
    subnets = at_edge("ec2", "DescribeSubnets", Kind.HANG, times=99)
    with driver.host.faults.planned(offerings, subnets, at_edge(*TABLE_WRITE, Kind.HANG, times=99)):
        answer = driver.send("POST", path, hyperpod_request(), "k1")
    assert (answer.status, answer.body["retryable"]) == (503, True)
    assert driver.host.clock.time() - before < EDGE_SECONDS
    assert driver.send("POST", path, hyperpod_request(), "k1").status == 202


@pytest.mark.case(71)
def test_a_zone_id_is_not_accepted_unchecked_and_the_same_call_works_once_aws_answers(driver: Driver) -> None:
    zones = driver.host.client("ec2").describe_availability_zones()["AvailabilityZones"]
    zone_id = next(zone["ZoneId"] for zone in zones if zone["ZoneName"] == "us-west-2c")
    request = cluster_request("t1", zone=zone_id)
    with driver.host.faults.planned(at_edge("ec2", "DescribeAvailabilityZones", Kind.HANG)):
        answer = driver.send("POST", "/api/clusters", request, "k1")
    assert (answer.status, answer.body["retryable"]) == (503, True)
    assert driver.get("/api/operations")["operations"] == []
    begun = driver.post("/api/clusters", request, "k1")
    assert begun["request"]["hyperpod"]["availability_zone"] == "us-west-2c"


@pytest.mark.parametrize("kind", [Kind.THROTTLE, Kind.FAIL_BEFORE, Kind.DENY])
def test_a_zone_lookup_that_is_refused_does_not_keep_a_creation_from_beginning(driver: Driver, kind: Kind) -> None:
    with driver.host.faults.planned(at_edge("ec2", "DescribeAvailabilityZones", kind)):
        assert create(driver).status == 202


@pytest.mark.parametrize("kind", [Kind.HANG, Kind.THROTTLE, Kind.FAIL_BEFORE])
def test_a_page_whose_key_cannot_be_read_is_answered_within_seconds_and_the_next_one_reads_it(
    driver: Driver, kind: Kind
) -> None:
    cool(driver)
    before = driver.host.clock.time()
    with driver.host.faults.planned(Fault("secretsmanager", "GetSecretValue", kind, role="function-catalog")):
        first = driver.send("GET", "/api/catalog/instance_types?limit=5")
    assert driver.host.clock.time() - before < EDGE_SECONDS
    assert (first.status, first.body["retryable"]) == (429 if kind is Kind.THROTTLE else 503, True)
    _, calls = asked(driver, "instance_types?limit=5")
    _, later = asked(driver, "instance_types?limit=5")
    assert (calls["GetSecretValue"], "GetSecretValue" in later) == (1, False)


def test_a_throttled_table_is_outlasted(driver: Driver) -> None:
    with driver.host.faults.planned(at_edge(*TABLE_WRITE, Kind.THROTTLE, times=3)):
        assert create(driver).status == 202


@pytest.mark.parametrize("kind", [Kind.HANG, Kind.KILL_AFTER, Kind.FAIL_BEFORE])
def test_a_cancellation_whose_wake_up_is_lost_still_takes_effect(driver: Driver, kind: Kind) -> None:
    begun = driver.post("/api/clusters", {"tag": "t1"})
    driver.until_said(begun["operation_id"], "foundation", "CREATE_IN_PROGRESS")
    before = driver.host.clock.time()
    with driver.host.faults.planned(at_edge("stepfunctions", "SendTaskSuccess", kind)):
        answer = driver.cancel(begun["operation_id"])
    assert answer.status == 202 or kind is Kind.KILL_AFTER
    assert driver.host.clock.time() - before < EDGE_SECONDS
    assert driver.finish(begun["operation_id"], within=120)["status"] == "CANCELLED"
