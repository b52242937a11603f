"""The clusters routes through HTTP events."""

from __future__ import annotations

from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from functions.core import runtime
from functions.core.cluster import ClusterSpec
from functions.core.ledger.items import model_of
from functions.core.ledger.models import OperationStatus
from tests.component.test_http_support import (
    HYPERPOD,
    Answer,
    Edge,
    account,
    edge,
    set_condition,
    stages_of,
    standing,
)
from tests.component.test_ledger_support import (
    ENVIRONMENT,
    cluster_records,
    executions,
    finish_operation,
    owners,
    together,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["account", "edge"]

WHOLE = [
    ("foundation", "foundation"),
    ("dependencies", "access_entry:admin"),
    ("dependencies", "access_entry:operator"),
    ("dependencies", "cluster_role:operator"),
    ("dependencies", "helm_release:dependencies"),
    ("dependencies", "addon:coredns"),
    ("dependencies", "addon:eks-pod-identity-agent"),
    ("dependencies", "identity_chain:s3-csi-driver"),
    ("dependencies", "addon:aws-mountpoint-s3-csi-driver"),
    ("hyperpod", "compute_subnet:us-west-2c"),
    ("hyperpod", "lifecycle_scripts"),
    ("hyperpod", "hyperpod_cluster"),
    ("hyperpod", "hyperpod_nodes"),
    ("storage", "mount:s3-claim"),
    ("verify", "verify"),
]


def fail_zone_lookups(edge: Edge, error: Exception) -> None:
    def fail(**_: object) -> None:
        raise error

    edge.account.runtime.session.register("before-call.ec2.DescribeAvailabilityZones", fail)


def test_a_cluster_is_accepted_as_an_operation_with_all_its_stages(edge: Edge) -> None:
    answer = edge.create()

    operation_id = answer.body["operation_id"]
    assert (answer.status, answer.body["kind"], answer.body["cluster_tag"]) == (202, "create_cluster", "t1")
    assert answer.headers["location"] == f"/api/operations/{operation_id}"
    assert answer.headers["retry-after"] == str(answer.body["retry_after_seconds"])
    assert stages_of(operation_id) == WHOLE
    assert owners() == dict.fromkeys(("foundation", "dependencies", "hyperpod", "storage"), operation_id)
    assert executions() == [operation_id]


def test_the_request_is_kept_with_its_defaults(edge: Edge) -> None:
    assert edge.create().body["request"] == {
        "tag": "t1",
        "region": None,
        "foundation": {
            "control_plane_availability_zones": None,
            "kubernetes_version": None,
            "vpc_id": None,
            "control_plane_subnet_ids": None,
            "public_subnet_ids": None,
            "security_group_id": None,
            "tag_subnets": False,
            "control_plane_role_arn": None,
            "execution_role_arn": None,
            "s3_csi_role_arn": None,
            "bucket": None,
            "endpoint_access": "public",
            "public_access_cidrs": None,
            "vpc_cidr": None,
            "public_subnet_cidrs": None,
            "control_plane_subnet_cidrs": None,
            "compute_cidr": None,
        },
        "hyperpod": {
            "availability_zone": "us-west-2c",
            "subnet_prefix": None,
            "instance_groups": [
                {
                    "name": "gpu",
                    "instance_type": "ml.g6.4xlarge",
                    "instance_count": 1,
                    "capacity_type": "on_demand",
                    "availability_zone": None,
                    "subnet_id": None,
                    "dedicated_subnet": False,
                    "subnet_prefix": None,
                    "network_interface": None,
                    "instance_types": None,
                    "min_instance_count": None,
                    "training_plan_arn": None,
                    "security_group_ids": None,
                    "threads_per_core": None,
                    "deep_health_checks": [],
                    "labels": {},
                    "taints": [],
                    "volumes": [],
                    "lifecycle": None,
                    "image_id": None,
                }
            ],
            "node_recovery": "automatic",
            "on_shortage": "wait",
            "system_group": None,
        },
        "storage": {"name": "s3-claim", "namespace": "default"},
        "owner_groups": [],
        "company_tags": {},
    }


def test_the_cluster_keeps_the_names_it_was_created_with(edge: Edge) -> None:
    edge.create()
    spec = model_of(ClusterSpec, cluster_records()["spec"])
    assert (spec.names.bucket, spec.names.execution_role) == (
        "sagemaker-t1-123456789012-us-west-2",
        "instantstart-t1-us-west-2-execution",
    )
    assert (spec.availability_zone, [mount.name for mount in spec.mounts]) == ("us-west-2c", ["s3-claim"])
    assert spec.version == 1


def test_storage_null_means_no_mount(edge: Edge) -> None:
    answer = edge.send("POST", "/api/clusters", {"tag": "t1", "hyperpod": HYPERPOD, "storage": None})
    assert stages_of(answer.body["operation_id"]) == [stage for stage in WHOLE if stage[0] != "storage"]


def test_without_hyperpod_only_the_foundation_is_made(edge: Edge) -> None:
    answer = edge.send("POST", "/api/clusters", {"tag": "t1"})
    assert (answer.status, answer.body["kind"]) == (202, "create_foundation")
    assert stages_of(answer.body["operation_id"]) == [("foundation", "foundation"), ("verify", "verify")]
    assert list(owners()) == ["foundation"]


@pytest.mark.case(68)
def test_the_same_key_gives_the_same_operation_and_one_execution(edge: Edge) -> None:
    first, second = edge.create(key="k1"), edge.create(key="k1")
    assert (first.status, second.status) == (202, 202)
    assert first.body["operation_id"] == second.body["operation_id"]
    assert executions() == [first.body["operation_id"]]


@pytest.mark.case(68)
def test_the_same_key_with_another_body_is_refused(edge: Edge) -> None:
    first = edge.create(key="k1")
    second = edge.create("t2", key="k1")
    assert (second.status, second.body["code"]) == (422, "idempotency_key_reused")
    assert second.body["operation_id"] == first.body["operation_id"]


def test_fifty_requests_with_one_key_and_no_tag_become_one_cluster(edge: Edge) -> None:
    answers = together([partial(edge.create, None, key="k1")] * 50)
    found = [answer for answer in answers if isinstance(answer, Answer)]
    assert {answer.status for answer in found} == {202}
    assert len({(answer.body["operation_id"], answer.body["cluster_tag"]) for answer in found}) == 1


def test_fifty_requests_with_fifty_keys_and_one_tag_become_one_cluster(edge: Edge) -> None:
    answers = together([partial(edge.create, "t1", key=f"k{number}") for number in range(50)])
    statuses = sorted(answer.status for answer in answers if isinstance(answer, Answer))
    assert statuses == [202] + [409] * 49


def test_without_key_and_tag_every_request_is_a_cluster_of_its_own(edge: Edge) -> None:
    tags = {edge.create(None).body["cluster_tag"] for _ in range(3)}
    assert len(tags) == 3


def test_a_generated_tag_differs_between_callers_of_the_same_key(edge: Edge) -> None:
    ann, bob = edge.create(None, key="k1", caller="ann"), edge.create(None, key="k1", caller="bob")
    assert ann.body["cluster_tag"] != bob.body["cluster_tag"]


def test_a_scope_that_is_held_names_its_holder(edge: Edge) -> None:
    first = edge.create(key="k1")
    second = edge.create(key="k2")
    assert (second.status, second.body["code"]) == (409, "operation_in_progress")
    assert second.body["operation_id"] == first.body["operation_id"]


@pytest.mark.case(1)
def test_a_control_plane_zone_that_eks_does_not_serve_is_refused_with_the_zones_it_serves(edge: Edge) -> None:
    edge.account.runtime.environment = ENVIRONMENT | {"AWS_REGION": "us-east-1"}
    body = {"tag": "t1", "foundation": {"control_plane_availability_zones": ["us-east-1a", "us-east-1e"]}}
    answer = edge.send("POST", "/api/clusters", body)

    assert (answer.status, answer.body["code"]) == (400, "invalid_request")
    (error,) = answer.body["errors"]
    assert error["field"] == "foundation.control_plane_availability_zones[1]"
    assert "us-east-1e" in error["message"]
    assert error["allowed"] == ["us-east-1a", "us-east-1b", "us-east-1c", "us-east-1d", "us-east-1f"]
    assert not cluster_records()


@pytest.mark.case(9)
def test_a_zone_of_another_region_is_refused_with_the_zones_of_this_one(edge: Edge) -> None:
    hyperpod = HYPERPOD | {"availability_zone": "use1-az2"}
    answer = edge.send("POST", "/api/clusters", {"tag": "t1", "hyperpod": hyperpod})
    (error,) = answer.body["errors"]
    assert (answer.status, error["field"]) == (400, "hyperpod.availability_zone")
    assert error["allowed"] == ["us-west-2a", "us-west-2b", "us-west-2c"], "us-west-2d does not offer the type"


@pytest.mark.case(9)
def test_a_zone_may_be_written_by_its_id(edge: Edge) -> None:
    hyperpod = HYPERPOD | {"availability_zone": "usw2-az3"}
    answer = edge.send("POST", "/api/clusters", {"tag": "t1", "hyperpod": hyperpod})
    assert answer.body["request"]["hyperpod"]["availability_zone"] == "us-west-2c"
    assert stages_of(answer.body["operation_id"]) == WHOLE


def test_the_region_may_be_sent_and_has_to_be_the_deployments(edge: Edge) -> None:
    answer = edge.send("POST", "/api/clusters", {"region": "eu-west-1", "hyperpod": HYPERPOD})
    (error,) = answer.body["errors"]
    assert (answer.status, error["field"], error["allowed"]) == (400, "region", ["us-west-2"])


@pytest.mark.case(71)
@pytest.mark.parametrize(
    "error",
    [
        ReadTimeoutError(endpoint_url="https://ec2.us-west-2.amazonaws.com"),
        ClientError({"Error": {"Code": "RequestLimitExceeded", "Message": "slow down"}}, "DescribeAvailabilityZones"),
    ],
    ids=["timeout", "throttled"],
)
def test_a_zone_lookup_without_an_answer_leaves_the_check_to_the_first_stage(edge: Edge, error: Exception) -> None:
    fail_zone_lookups(edge, error)
    first, second = edge.create(key="k1"), edge.create(key="k1")
    assert (first.status, second.status) == (202, 202)
    assert first.body["operation_id"] == second.body["operation_id"]


@pytest.mark.case(71)
def test_a_creation_makes_three_calls_and_its_checks_a_few_more_none_of_them_slow(edge: Edge) -> None:
    always = {"DescribeAvailabilityZones": 1, "TransactWriteItems": 1, "StartExecution": 1}
    capacity = {"DescribeInstanceTypeOfferings": 1, "ListServiceQuotas": 1, "ListClusters": 1}
    network = {"DescribeVpcs": 1, "DescribeAddresses": 1, "DescribeNetworkInterfaces": 1}
    leftovers = {"DescribeStacks": 1, "DescribeCluster": 2, "HeadBucket": 1, "GetRole": 3}
    checks = capacity | network | leftovers | {"GetServiceQuota": 4 + 3}
    body = {"tag": "t1", "hyperpod": HYPERPOD}
    assert edge.counting("POST", "/api/clusters", body=body) == always | checks
    # The code of a quota stays known: its value alone is read anew.
    later = always | checks
    del later["ListServiceQuotas"]
    assert edge.counting("POST", "/api/clusters", body=body | {"tag": "t2"}) == later
    patience = attrgetter("connect_timeout", "read_timeout")(runtime.client("ec2", runtime.Patience.EDGE).meta.config)
    assert sum(patience) <= 5


Step = tuple[str, dict[str, object] | None, tuple[str, ...], list[tuple[str, str]]]
STEPS: list[Step] = [
    ("dependencies", {}, ("FoundationReady",), [*WHOLE[1:9], WHOLE[-1]]),
    ("dependencies", None, ("FoundationReady",), [*WHOLE[1:9], WHOLE[-1]]),
    ("hyperpod", {**HYPERPOD}, ("FoundationReady", "DependenciesReady"), [*WHOLE[9:13], WHOLE[-1]]),
    ("storage", {}, ("FoundationReady", "DependenciesReady", "HyperPodReady"), WHOLE[-2:]),
]


@pytest.mark.parametrize("step", STEPS, ids=["dependencies", "dependencies without a body", "hyperpod", "storage"])
def test_a_later_phase_begins_once_the_earlier_ones_are_done(edge: Edge, step: Step) -> None:
    noun, body, conditions, stages = step
    standing(edge, "t1", *conditions)
    answer = edge.send("POST", f"/api/clusters/t1/{noun}", body)
    assert answer.status == 202
    assert stages_of(answer.body["operation_id"]) == stages
    assert list(owners()) == [noun]


def test_a_hyperpod_cluster_is_created_once(edge: Edge) -> None:
    standing(edge, "t1", "FoundationReady", "DependenciesReady", "HyperPodReady")
    answer = edge.send("POST", "/api/clusters/t1/hyperpod", {**HYPERPOD})
    assert (answer.status, answer.body["code"]) == (409, "already_exists")
    assert not owners()


@pytest.mark.parametrize("step", STEPS[1:], ids=["dependencies", "hyperpod", "storage"])
def test_a_later_phase_is_refused_while_the_one_before_it_is_not_done(edge: Edge, step: Step) -> None:
    noun, body, conditions, _ = step
    standing(edge, "t1", *conditions[:-1])
    set_condition("t1", conditions[-1], "False", "still at it")
    answer = edge.send("POST", f"/api/clusters/t1/{noun}", body)
    assert (answer.status, answer.body["code"]) == (409, "precondition_failed")
    assert not owners()


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/api/clusters/none", None),
        ("GET", f"/api/clusters/{'x' * 64}", None),
        ("POST", "/api/clusters/none/dependencies", {}),
        ("POST", "/api/clusters/none/hyperpod", HYPERPOD),
        ("POST", "/api/clusters/none/storage", {}),
        ("PUT", "/api/preferences/active_cluster", {"cluster_tag": "none"}),
    ],
)
def test_an_unknown_tag_is_not_found(edge: Edge, method: str, path: str, body: object) -> None:
    answer = edge.send(method, path, body)
    assert (answer.status, answer.body["code"]) == (404, "not_found")


def test_every_mount_is_kept_and_planned_in_its_namespace(edge: Edge) -> None:
    standing(edge, "t1", "FoundationReady", "DependenciesReady", "HyperPodReady")
    for body in ({"name": "data", "namespace": "team-a"}, {"name": "data"}, {"name": "data"}):
        begun = edge.send("POST", "/api/clusters/t1/storage", body).body["operation_id"]
        finish_operation(begun, OperationStatus.SUCCEEDED)
        place = "team-a/data" if "namespace" in body else "data"
        assert stages_of(begun)[0] == ("storage", f"mount:{place}")
    assert edge.send("GET", "/api/clusters/t1").body["spec"]["mounts"] == [
        {"name": "s3-claim", "namespace": "default"},
        {"name": "data", "namespace": "team-a"},
        {"name": "data", "namespace": "default"},
    ]


def test_a_third_control_plane_zone_is_refused(edge: Edge) -> None:
    zones = ["us-west-2a", "us-west-2b", "us-west-2c"]
    answer = edge.send("POST", "/api/clusters", {"foundation": {"control_plane_availability_zones": zones}})
    assert (answer.status, answer.fields) == (400, ["foundation.control_plane_availability_zones"])
    assert "exactly two" in answer.body["detail"]


def test_a_cluster_shows_its_spec_conditions_and_what_is_going_on(edge: Edge) -> None:
    operation_id = edge.create().body["operation_id"]
    set_condition("t1", "FoundationReady")
    view = edge.send("GET", "/api/clusters/t1").body
    assert view["spec"]["names"]["eks_cluster"] == "eks-cluster-t1"
    assert [(each["type"], each["status"]) for each in view["conditions"]] == [("FoundationReady", "True")]
    assert view["active_operation_ids"] == [operation_id]
    assert (view["last_operation"]["operation_id"], view["last_operation"]["status"]) == (operation_id, "PENDING")


def create_many(edge: Edge, count: int) -> list[str]:
    tags = [f"t{number}" for number in range(count)]
    for tag in tags:
        edge.create(tag)
        set_condition(tag, "FoundationReady")
    return tags


@pytest.mark.case(11)
def test_only_clusters_of_the_ledger_are_listed(edge: Edge) -> None:
    tags = create_many(edge, 3)
    with edge.account.counted() as calls:
        answer = edge.send("GET", "/api/clusters")
    assert calls == ["Query"], "the account's stacks are not even asked for"
    assert {each["tag"] for each in answer.body["clusters"]} == set(tags)
    assert all(each["conditions"] for each in answer.body["clusters"])


def test_pages_of_clusters_hold_each_of_them_once(edge: Edge) -> None:
    tags = create_many(edge, 7)
    pages = [edge.send("GET", "/api/clusters", query="limit=2").body]
    while token := pages[-1]["next_token"]:
        pages.append(edge.send("GET", "/api/clusters", query=f"limit=2&next_token={token}").body)
    assert [len(page["clusters"]) for page in pages] == [2, 2, 2, 1]
    assert [each["tag"] for page in pages for each in page["clusters"]] == tags


def test_a_cluster_whose_records_one_query_does_not_reach_the_end_of_is_listed_whole(edge: Edge) -> None:
    tags, kinds = create_many(edge, 6), [f"C{number}" for number in range(20)]
    for tag in tags:
        for kind in kinds:
            set_condition(tag, kind)
    pages = [edge.send("GET", "/api/clusters", query="limit=2").body]
    while token := pages[-1]["next_token"]:
        pages.append(edge.send("GET", "/api/clusters", query=f"limit=2&next_token={token}").body)
    found = [each for page in pages for each in page["clusters"]]
    assert [len(page["clusters"]) for page in pages] == [2, 2, 2]
    assert [(each["tag"], len(each["conditions"])) for each in found] == [(tag, len(kinds) + 1) for tag in tags]


def test_a_page_token_is_no_use_to_another_caller(edge: Edge) -> None:
    create_many(edge, 2)
    token = edge.send("GET", "/api/clusters", query="limit=1", caller="ann").body["next_token"]
    answer = edge.send("GET", "/api/clusters", query=f"limit=1&next_token={token}", caller="bob")
    assert (answer.status, answer.body["code"]) == (400, "invalid_page_token")


READS: list[tuple[str, dict[str, int]]] = [
    ("/api/clusters", {"Query": 1}),
    ("/api/clusters/t0", {"Query": 2}),
    ("/api/preferences/active_cluster", {"GetItem": 1}),
    ("/api/operations", {"Query": 8}),
    ("/api/operations?cluster_tag=t0", {"Query": 1}),
]


@pytest.mark.parametrize("count", [1, 12])
def test_reads_cost_the_same_whatever_the_number_of_clusters(edge: Edge, count: int) -> None:
    create_many(edge, count)
    for address, calls in READS:
        path, _, query = address.partition("?")
        assert (address, edge.counting("GET", path, query=query)) == (address, calls)


def test_the_active_cluster_is_each_callers_own(edge: Edge) -> None:
    create_many(edge, 2)
    send: Callable[..., Answer] = partial(edge.send, path="/api/preferences/active_cluster")
    assert send("GET", caller="ann").body == {"cluster_tag": None}
    assert send("PUT", body={"cluster_tag": "t1"}, caller="ann").body == {"cluster_tag": "t1"}
    assert send("GET", caller="ann").body == {"cluster_tag": "t1"}
    assert send("GET", caller="bob").body == {"cluster_tag": None}


def test_reading_needs_no_more_than_the_read_scope_and_creating_does(edge: Edge) -> None:
    assert edge.send("GET", "/api/clusters", scopes=["read"]).status == 200
    answer = edge.create(scopes=["read"])
    assert (answer.status, answer.body["code"]) == (403, "forbidden")
