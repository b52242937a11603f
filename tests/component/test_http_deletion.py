"""Deletions at the edge: previewed, confirmed, refused; what AWS does not say is unknown and never absent."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from functions.core import runtime
from functions.core.cluster import DesiredAccess
from functions.core.ledger import granted
from tests.component.test_http_budget import OneByOne
from tests.component.test_http_support import Answer, Edge, account, edge, stages_of, standing
from tests.component.test_ledger_support import executions

__all__ = ["account", "edge"]

T1 = "/api/clusters/t1"
ABSENT = {"Error": {"Code": "ValidationError", "Message": "Stack with id instantstart-t1 does not exist"}}
# How long CloudFormation takes to answer; it is no member of its answer.
SECONDS = "seconds"
STACK: dict[str, Any] = {
    "StackId": "arn:aws:cloudformation:us-west-2:123456789012:stack/instantstart-t1/1",
    "StackName": "instantstart-t1",
    "StackStatus": "CREATE_COMPLETE",
    "Tags": [
        {"Key": "instantstart:managed-by", "Value": "instantstart"},
        {"Key": "instantstart:cluster", "Value": "t1"},
    ],
}


@pytest.fixture
def stack() -> dict[str, Any]:
    """The foundation stack as CloudFormation describes it; empty when there is none."""
    return {}


@pytest.fixture
def marks() -> list[dict[str, str]]:
    """The tags of the HyperPod cluster."""
    return [*STACK["Tags"]]


@pytest.fixture
def control_plane() -> dict[str, Any]:
    """The EKS cluster as EKS describes it; empty when there is none."""
    return {}


@pytest.fixture
def t1(edge: Edge, stack: dict[str, Any], marks: list[dict[str, str]], control_plane: dict[str, Any]) -> Edge:
    """An edge that knows a cluster t1, of which AWS knows nothing else than the stack."""
    known, around = edge.account, edge.surroundings

    def described(_: dict[str, Any]) -> dict[str, Any]:
        known.clock.sleep(stack.pop(SECONDS, 0))
        return {"Stacks": [stack]} if stack else ABSENT

    around.answer(known, "cloudformation.DescribeStacks", described)
    around.answer(known, "cloudformation.DescribeStackResources", lambda _: {"StackResources": []})
    missing = {"Error": {"Code": "ResourceNotFoundException", "Message": "No cluster found for name: x."}}
    around.answer(known, "eks.DescribeCluster", lambda _: control_plane or missing)
    gone = {"Error": {"Code": "ResourceNotFound", "Message": "Cluster with name x does not exist."}}
    around.answer(known, "sagemaker.DescribeCluster", lambda _: gone)
    around.answer(known, "sagemaker.ListTags", lambda _: {"Tags": marks})
    around.answer(known, "logs.DescribeLogGroups", lambda _: {"logGroups": []})
    standing(edge, "t1", "FoundationReady")
    around.clusters["hp-cluster-t1"] = []
    return edge


def preview(edge: Edge, path: str = T1, query: str = "") -> Answer:
    return edge.send("DELETE", path, query=f"dry_run=true{query}")


def begun(edge: Edge) -> list[str]:
    """What was begun after the creation."""
    return executions()[1:]


def test_a_deletion_has_to_be_confirmed(t1: Edge) -> None:
    refused = t1.send("DELETE", T1)
    assert (refused.status, refused.body["code"], refused.fields) == (409, "confirmation_required", ["confirm"])
    assert begun(t1) == []


@pytest.mark.parametrize("path", [T1, f"{T1}/hyperpod"])
def test_a_deletion_begins_as_it_was_previewed(t1: Edge, path: str) -> None:
    digest = preview(t1, path).body["preview"]["digest"]
    answer = t1.send("DELETE", path, query=f"confirm={digest}")
    assert (answer.status, begun(t1)) == (202, [answer.body["operation_id"]])


def test_stages_go_from_what_uses_to_what_is_used(t1: Edge) -> None:
    digest = preview(t1, query="&delete_bucket=true").body["preview"]["digest"]
    answer = t1.send("DELETE", T1, query=f"delete_bucket=true&confirm={digest}")
    stages = stages_of(answer.body["operation_id"])
    phases = list(dict.fromkeys(phase for phase, _ in stages))
    assert phases == [
        "workloads_removal",
        "hyperpod_removal",
        "dependencies_removal",
        "network_removal",
        "foundation_removal",
        "verify",
    ]
    names = [name for _, name in stages]
    assert names[0] == "load_balancers_removal"
    assert names[-4:] == ["vpc_clearance", "foundation_removal", "bucket_removal", "absence"]


def test_a_deletion_is_not_what_was_previewed_once_the_stack_is_in_another_state(
    t1: Edge, stack: dict[str, Any]
) -> None:
    stack.update(STACK)
    digest = preview(t1).body["preview"]["digest"]
    stack["StackStatus"] = "DELETE_FAILED"
    refused = t1.send("DELETE", T1, query=f"confirm={digest}")
    assert (refused.status, refused.body["code"], begun(t1)) == (409, "preview_outdated", [])


def test_a_preview_with_the_bucket_does_not_confirm_the_other_way_round(t1: Edge) -> None:
    digest = preview(t1).body["preview"]["digest"]
    refused = t1.send("DELETE", T1, query=f"delete_bucket=true&confirm={digest}")
    assert (refused.status, refused.body["code"]) == (409, "preview_outdated")


@pytest.mark.case(5)
@pytest.mark.parametrize("status", [None, "CREATE_COMPLETE", "ROLLBACK_COMPLETE"])
def test_nothing_is_retained_before_a_deletion_has_failed(t1: Edge, stack: dict[str, Any], status: str | None) -> None:
    if status:
        stack.update(STACK | {"StackStatus": status})
    refused = t1.send("DELETE", T1, query="retain_resources=LogsBucket")
    assert (refused.status, refused.fields, begun(t1)) == (409, ["retain_resources"], [])
    assert "after a deletion of it has failed" in refused.body["detail"]


@pytest.mark.parametrize(
    ("call", "part"),
    [("DescribeStacks", "stack"), ("DescribeCluster", "eks"), ("DescribeLogGroups", "log groups")],
)
def test_what_aws_does_not_say_is_told_as_unchecked_and_refuses_nothing(t1: Edge, call: str, part: str) -> None:
    t1.surroundings.failing[call] = EndpointConnectionError(endpoint_url="https://aws.test")
    answer = preview(t1).body
    assert part in [finding["check"] for finding in answer["findings"] if finding["message"].startswith("unchecked")]
    assert answer["preview"]["digest"] is not None


def test_a_slow_service_leaves_the_rest_unchecked_and_the_caller_with_an_answer(
    t1: Edge, stack: dict[str, Any]
) -> None:
    t1.account.runtime.threads = OneByOne()
    stack[SECONDS] = 9
    answer = preview(t1).body
    parts = {finding["check"] for finding in answer["findings"]}
    assert {"eks", "hyperpod", "subnets", "bucket"} <= parts
    assert ("stack" in parts, answer["preview"]["digest"] is None) == (False, False)


def let_in(number: int) -> None:
    for each in range(number):
        arn = f"arn:aws:iam::123456789012:role/team/developer-{each:02}"
        granted.remember("t1", DesiredAccess(principal_arn=arn, everywhere="view"))


def entries(edge: Edge, path: str = T1, query: str = "") -> list[tuple[str, str]]:
    """What a preview says becomes of access entries, by action and name."""
    listed = preview(edge, path, query).body["preview"]["changes"]
    return [(each["action"], each["name"]) for each in listed if each["resource"] == "EKS access entry"]


@pytest.fixture
def living(t1: Edge, control_plane: dict[str, Any]) -> Edge:
    """The cluster t1 with an EKS cluster that stands."""
    control_plane["cluster"] = {"name": "eks-cluster-t1", "status": "ACTIVE"}
    t1.surroundings.answer(t1.account, "eks.ListAddons", lambda _: {"addons": []})
    return t1


def test_people_who_were_let_in_are_named_before_their_entries_go_with_the_cluster(living: Edge) -> None:
    let_in(2)
    named = [("delete", f"arn:aws:iam::123456789012:role/team/developer-0{each}") for each in range(2)]
    assert entries(living) == named
    # They stay where only the HyperPod cluster goes.
    assert entries(living, f"{T1}/hyperpod") == []


def test_the_function_that_looks_into_clusters_reads_the_key_of_its_digests_itself(t1: Edge) -> None:
    t1.account.rotate(2)
    reads = [t1.counting("DELETE", T1, query="dry_run=true").get("GetSecretValue", 0) for _ in range(2)]
    assert reads == [1, 0]


def test_of_many_people_the_first_are_named_and_the_rest_are_counted_at_no_further_call(living: Edge) -> None:
    let_in(1)
    few = living.counting("DELETE", T1, query="dry_run=true")
    let_in(30)
    assert living.counting("DELETE", T1, query="dry_run=true") == few
    named = [name for _, name in entries(living)]
    assert (len(named), named[19][-2:], named[-1]) == (21, "19", "and 10 more")


def test_a_person_who_was_let_in_since_the_preview_makes_it_another_deletion(living: Edge) -> None:
    let_in(30)
    digest = preview(living).body["preview"]["digest"]
    let_in(31)
    granted.forget_access("t1", "arn:aws:iam::123456789012:role/team/developer-29")
    refused = living.send("DELETE", T1, query=f"confirm={digest}")
    assert (refused.status, refused.body["code"], begun(living)) == (409, "preview_outdated", [])


def test_people_of_a_cluster_whose_eks_cluster_is_gone_have_nothing_to_lose(t1: Edge) -> None:
    let_in(2)
    assert entries(t1) == []


def test_only_administrators_delete(t1: Edge) -> None:
    for path in (T1, f"{T1}/hyperpod"):
        assert t1.send("DELETE", path, query="dry_run=true", scopes=("read", "operate")).status == 403


def test_a_cluster_that_nobody_knows_cannot_be_deleted(t1: Edge) -> None:
    for path in ("/api/clusters/t2", "/api/clusters/t2/hyperpod"):
        assert t1.send("DELETE", path, query="dry_run=true").status == 404


def test_a_deletion_sent_again_under_its_key_is_the_same_one(t1: Edge) -> None:
    digest = preview(t1).body["preview"]["digest"]
    first, second = (t1.send("DELETE", T1, query=f"confirm={digest}", key="once") for _ in range(2))
    assert (first.status, second.status) == (202, 202)
    assert first.body["operation_id"] == second.body["operation_id"]


def test_a_second_deletion_names_the_one_that_runs(t1: Edge) -> None:
    digest = preview(t1).body["preview"]["digest"]
    first = t1.send("DELETE", T1, query=f"confirm={digest}")
    second = t1.send("DELETE", T1, query=f"confirm={digest}")
    assert (second.status, second.body["code"]) == (409, "operation_in_progress")
    assert second.body["operation_id"] == first.body["operation_id"]


def test_a_hyperpod_cluster_without_the_clusters_tags_is_not_deleted(t1: Edge, marks: list[dict[str, str]]) -> None:
    assert preview(t1, f"{T1}/hyperpod").body["preview"]["digest"] is not None
    marks.pop()
    refused = preview(t1, f"{T1}/hyperpod").body
    assert [(each["check"], each["level"]) for each in refused["findings"]] == [("hyperpod", "error")]
    assert refused["preview"]["digest"] is None
    assert t1.send("DELETE", f"{T1}/hyperpod").status == 409
    kept = [each["resource"] for each in preview(t1).body["preview"]["changes"] if each["action"] == "keep"]
    assert "HyperPod cluster" in kept


def test_a_bucket_without_the_clusters_tags_is_not_deleted(t1: Edge) -> None:
    s3, bucket = runtime.client("s3"), "sagemaker-t1-123456789012-us-west-2"
    s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
    refused = preview(t1, query="&delete_bucket=true").body
    assert [(each["check"], each["field"]) for each in refused["findings"]] == [("delete_bucket", "delete_bucket")]
    assert (refused["preview"]["digest"], preview(t1).body["findings"]) == (None, [])
    s3.put_bucket_tagging(Bucket=bucket, Tagging={"TagSet": STACK["Tags"]})
    assert preview(t1, query="&delete_bucket=true").body["findings"] == []
