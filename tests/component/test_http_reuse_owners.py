"""What is taken over and belongs to another cluster of ours: by its tags, or by that cluster's record."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from functions.core import runtime
from tests.component.test_http_reuse_support import BUCKET, HYPERPOD, OTHERS, Own, create, listed, own, refused, role
from tests.component.test_http_support import Answer, Edge, account, edge

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["account", "edge", "own"]

CHECK = "reused_of_another_cluster"
SOME = ("read", "operate")
OWN = {"instantstart:managed-by": "instantstart", "instantstart:cluster": "t1"}


def _tag(own: Own, resource: str, tags: dict[str, str]) -> None:
    own.ec2.create_tags(Resources=[resource], Tags=listed(tags))


def _vpc(own: Own, tags: dict[str, str]) -> dict[str, Any]:
    _tag(own, own.vpc_id, tags)
    return {}


def _subnet(own: Own, tags: dict[str, str]) -> dict[str, Any]:
    _tag(own, own.members["control_plane_subnet_ids"][1], tags)
    return {}


def _group(own: Own, tags: dict[str, str]) -> dict[str, Any]:
    return {"security_group_id": own.group("sg-00000000000000009", tags=tags)}


def _execution_role(own: Own, tags: dict[str, str]) -> dict[str, Any]:
    runtime.client("iam").tag_role(RoleName="team-nodes", Tags=listed(tags))
    return {}


def _control_plane_role(own: Own, tags: dict[str, str]) -> dict[str, Any]:
    runtime.client("iam").tag_role(RoleName="team-eks", Tags=listed(tags))
    return {}


def _bucket(own: Own, tags: dict[str, str]) -> dict[str, Any]:
    runtime.client("s3").put_bucket_tagging(Bucket=BUCKET, Tagging={"TagSet": listed(tags)})
    return {}


PARTS: list[tuple[Callable[[Own, dict[str, str]], dict[str, Any]], str, str]] = [
    (_vpc, "vpc_id", "cannot be deleted while another cluster stands in it"),
    (_subnet, "control_plane_subnet_ids[1]", "cannot be deleted while another cluster stands in it"),
    (_group, "security_group_id", "cannot be deleted while another cluster uses it"),
    (_execution_role, "execution_role_arn", "is deleted with it"),
    (_control_plane_role, "control_plane_role_arn", "is deleted with it"),
    (_bucket, "bucket", "whose data are in it"),
]


def dry_run(
    edge: Edge, foundation: dict[str, Any], scopes: Sequence[str] = (*SOME, "admin"), groups: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """What a dry run finds about whose the resources are."""
    body = {"tag": "t1", "foundation": foundation}
    answer = edge.send("POST", "/api/clusters", body, query="dry_run=true", scopes=scopes, groups=groups)
    assert answer.status == 200, answer.body
    return [each for each in answer.body["findings"] if each["check"] == CHECK]


@pytest.mark.parametrize(("mark", "field", "words"), PARTS, ids=[field for _, field, _ in PARTS])
def test_what_bears_the_tags_of_another_cluster_is_refused_with_that_tag_and_a_way_out(
    edge: Edge, own: Own, mark: Callable[[Own, dict[str, str]], dict[str, Any]], field: str, words: str
) -> None:
    calls = edge.counting("POST", "/api/clusters", {"tag": "t1", "foundation": own.members}, query="dry_run=true")
    members = own.members | mark(own, OTHERS)
    answer = create(edge, members)
    assert refused(answer) == (409, CHECK.upper()), answer.body
    assert answer.fields == [f"foundation.{field}"]
    assert "was made for cluster other" in answer.body["detail"]
    assert words in answer.body["detail"]
    assert "made for no cluster" in answer.body["remedy"] or "another bucket" in answer.body["remedy"]
    # Whose it is stands in answers that are asked for anyway.
    body = {"tag": "t1", "foundation": members}
    assert edge.counting("POST", "/api/clusters", body, query="dry_run=true") == calls


@pytest.mark.parametrize("mark", [part[0] for part in PARTS], ids=[part[1] for part in PARTS])
@pytest.mark.parametrize("tags", [OWN, {"instantstart:cluster": "other"}], ids=["its own", "somebody's"])
def test_what_a_cluster_itself_left_and_what_somebody_tagged_is_taken_over(
    edge: Edge, own: Own, mark: Callable[[Own, dict[str, str]], dict[str, Any]], tags: dict[str, str]
) -> None:
    assert dry_run(edge, own.members | mark(own, tags)) == []


def test_a_subnet_and_a_security_group_of_an_instance_group_are_judged_as_well(edge: Edge, own: Own) -> None:
    subnet, secured = own.subnet("10.50.16.0/20", "us-west-2c"), own.group("sg-00000000000000009", tags=OTHERS)
    own.ec2.create_tags(Resources=[subnet], Tags=listed(OTHERS))
    groups = [{"name": "gpu", "instance_type": "ml.g6.4xlarge", "instance_count": 1, "subnet_id": subnet}]
    answer = create(edge, own.members, HYPERPOD | {"instance_groups": [groups[0] | {"security_group_ids": [secured]}]})
    assert refused(answer) == (409, CHECK.upper())
    assert answer.fields == [
        "hyperpod.instance_groups[0].subnet_id",
        "hyperpod.instance_groups[0].security_group_ids",
    ]
    own.ec2.create_tags(Resources=[subnet], Tags=listed(OWN))
    assert create(edge, own.members, HYPERPOD | {"instance_groups": groups}).status == 202


def standing_on(edge: Edge, own: Own, owner_groups: Sequence[str] = ()) -> None:
    """Another cluster that has taken over everything too."""
    body = {"tag": "other", "foundation": own.members, "owner_groups": [*owner_groups]}
    assert edge.send("POST", "/api/clusters", body).status == 202


def test_what_another_cluster_has_taken_over_too_is_told_and_refuses_nothing(edge: Edge, own: Own) -> None:
    standing_on(edge, own)
    told = dry_run(edge, own.members, scopes=SOME)
    assert {each["level"] for each in told} == {"warning"}
    assert {each["field"].removeprefix("foundation.") for each in told} == {
        "vpc_id",
        "security_group_id",
        "control_plane_role_arn",
        "execution_role_arn",
        "s3_csi_role_arn",
        "bucket",
    }
    assert all("is used by cluster other too" in each["message"] and each["remedy"] for each in told)
    assert create(edge, own.members).status == 202


def test_of_a_cluster_of_others_nothing_is_told_but_that_there_is_one(edge: Edge, own: Own) -> None:
    standing_on(edge, own, ["research"])
    told = dry_run(edge, own.members, scopes=SOME, groups=["sales"])
    assert told
    assert all("another cluster too" in each["message"] for each in told)
    assert not [each for each in told if "other " in each["message"].replace("another", "")]
    for told in (dry_run(edge, own.members, SOME, ["research"]), dry_run(edge, own.members)):
        assert all("cluster other too" in each["message"] for each in told)
    _vpc(own, OTHERS)
    for groups, scopes, whose in (
        (["sales"], SOME, "another cluster,"),
        (["research"], SOME, "cluster other,"),
        ([], (*SOME, "admin"), "cluster other,"),
    ):
        told = dry_run(edge, own.members, scopes, groups)
        [vpc] = [each for each in told if each["level"] == "error"]
        assert f"was made for {whose}" in vpc["message"]
        assert "research" not in str(vpc)


def test_of_a_cluster_that_no_record_knows_only_an_administrator_learns_the_tag(edge: Edge, own: Own) -> None:
    _vpc(own, OTHERS)
    for scopes, whose in ((SOME, "another cluster,"), ((*SOME, "admin"), "cluster other,")):
        [vpc] = dry_run(edge, own.members, scopes)
        assert f"was made for {whose}" in vpc["message"]


@pytest.mark.parametrize("where", ["with the cluster", "later"])
def test_the_subnet_of_an_instance_group_says_no_more_of_whose_it_is(edge: Edge, own: Own, where: str) -> None:
    assert edge.send("POST", "/api/clusters", {"tag": "other", "owner_groups": ["research"]}).status == 202
    subnet = own.subnet("10.50.16.0/20", "us-west-2c")
    own.ec2.create_tags(Resources=[subnet], Tags=listed(OTHERS))
    group = {"name": "gpu", "instance_type": "ml.g6.4xlarge", "instance_count": 1, "subnet_id": subnet}
    hyperpod = HYPERPOD | {"instance_groups": [group]}
    path = "/api/clusters"
    body: dict[str, Any] = {"tag": "t1", "foundation": own.members, "hyperpod": hyperpod}
    if where == "later":
        assert create(edge, own.members).status == 202
        path, body = "/api/clusters/t1/hyperpod", hyperpod
    for groups, whose in ((["sales"], "another cluster,"), (["research"], "cluster other,")):
        answer = edge.send("POST", path, body, query="dry_run=true", scopes=SOME, groups=groups)
        [found] = [each for each in answer.body["findings"] if each["check"] == CHECK]
        assert f"was made for {whose}" in found["message"]


def test_a_role_and_a_bucket_whose_tags_somebody_took_off_are_known_by_the_record(edge: Edge, own: Own) -> None:
    assert edge.send("POST", "/api/clusters", {"tag": "other", "owner_groups": ["research"]}).status == 202
    names = edge.send("GET", "/api/clusters/other").body["spec"]["names"]
    execution = role(names["execution_role"], "sagemaker.amazonaws.com", {"*": ["*"]})
    runtime.client("s3").create_bucket(
        Bucket=names["bucket"], CreateBucketConfiguration={"LocationConstraint": "us-west-2"}
    )
    members = {"execution_role_arn": execution, "bucket": names["bucket"]}
    told = dry_run(edge, members)
    assert [(each["level"], each["field"]) for each in told] == [
        ("error", "foundation.execution_role_arn"),
        ("error", "foundation.bucket"),
    ]
    assert all("was made for cluster other," in each["message"] for each in told)
    assert all("was made for another cluster," in each["message"] for each in dry_run(edge, members, scopes=SOME))


def test_other_clusters_are_read_at_once_however_many_there_are(edge: Edge, own: Own) -> None:
    def calls() -> dict[str, int]:
        body = {"tag": "t1", "foundation": own.members}
        return edge.counting("POST", "/api/clusters", body, query="dry_run=true")

    none = calls()
    for number in range(5):
        assert _founded(edge, f"c{number}").status == 202
    assert calls() == none


def _founded(edge: Edge, tag: str) -> Answer:
    return edge.send("POST", "/api/clusters", {"tag": tag})
