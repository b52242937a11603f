"""What the edge says of a request that takes over a network, roles or a bucket, and of who reaches the endpoint."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from functions.core import runtime
from functions.core.ledger.clusters import spec_of
from tests.component.test_http_reuse_support import (
    BUCKET,
    HYPERPOD,
    OTHERS,
    Own,
    arn_of,
    create,
    found,
    listed,
    own,
    refused,
    role,
)
from tests.component.test_http_support import Answer, Edge, account, edge, stages_of

if TYPE_CHECKING:
    from pydantic import JsonValue

__all__ = ["account", "edge", "own"]

EGRESS = "198.51.100.7"
OTHER_SUBNET = "subnet-0123456789abcdef0"


def set_choice(edge: Edge, name: str, value: str) -> None:
    """Deploy with a choice of its own."""
    runtime_of_edge: Any = edge.account.runtime
    runtime_of_edge.environment[name] = value


@pytest.mark.case(6)
def test_a_cluster_in_a_vpc_of_the_callers_own_is_accepted_and_keeps_what_it_took_over(edge: Edge, own: Own) -> None:
    answer = create(edge, own.members, HYPERPOD)
    assert answer.status == 202, answer.body
    assert stages_of(answer.body["operation_id"])[:2] == [("foundation", "reuse"), ("foundation", "foundation")]
    spec = spec_of("t1")
    assert spec.reused is not None
    kept = spec.reused.model_dump()
    assert kept == own.members | {"tag_subnets": False}
    assert spec.names.bucket == BUCKET
    assert (spec.names.control_plane_role, spec.names.execution_role) == ("team-eks", "team-nodes")
    assert spec.names.s3_csi_role == "team-mounts"
    assert spec.names.eks_cluster == "eks-cluster-t1"


def test_a_dry_run_says_what_is_taken_over_and_what_is_still_made(edge: Edge, own: Own) -> None:
    body = {"tag": "t1", "foundation": own.members | {"tag_subnets": True}}
    answer = edge.send("POST", "/api/clusters", body, query="dry_run=true")
    changes = answer.body["preview"]["changes"]
    adopted = {change["name"] for change in changes if change["action"] == "adopt"}
    subnets = [*own.members["control_plane_subnet_ids"], *own.members["public_subnet_ids"]]
    single = [value for value in own.members.values() if isinstance(value, str)]
    assert adopted == {*single, *subnets}
    assert {change["name"] for change in changes if change["action"] == "change"} == {*subnets}
    made = [change["resource"] for change in changes if change["action"] == "create"]
    assert made == ["CloudFormation stack", "EKS cluster"]
    assert answer.body["findings"][0]["check"] == "lb_subnet_tags"


def test_a_cluster_that_takes_nothing_over_has_no_stage_for_it(edge: Edge) -> None:
    answer = create(edge, {})
    assert stages_of(answer.body["operation_id"])[0] == ("foundation", "foundation")
    assert spec_of("t1").reused is None


@pytest.mark.case(60)
def test_subnets_without_the_tags_of_load_balancers_are_named_and_tagged_only_when_asked(edge: Edge, own: Own) -> None:
    first, second = own.members["control_plane_subnet_ids"]
    [public] = own.members["public_subnet_ids"]
    told = found(create(edge, own.members))["lb_subnet_tags"]
    assert (told["level"], told["field"]) == ("warning", "foundation.tag_subnets")
    assert f"{first}: kubernetes.io/role/internal-elb=1" in told["message"]
    assert f"{public}: kubernetes.io/role/elb=1" in told["message"]
    own.ec2.create_tags(Resources=[first], Tags=[{"Key": "kubernetes.io/role/internal-elb", "Value": "1"}])
    body = {"tag": "t2", "foundation": own.members | {"tag_subnets": True}}
    told = found(edge.send("POST", "/api/clusters", body))["lb_subnet_tags"]
    assert (told["level"], first in told["message"], second in told["message"]) == ("info", False, True)


def _without_hostnames(own: Own) -> dict[str, Any]:
    own.ec2.modify_vpc_attribute(VpcId=own.vpc_id, EnableDnsHostnames={"Value": False})
    return {}


def _in_another_vpc(own: Own) -> dict[str, Any]:
    other = own.ec2.create_vpc(CidrBlock="10.60.0.0/16")["Vpc"]["VpcId"]
    return {
        "control_plane_subnet_ids": [
            own.members["control_plane_subnet_ids"][0],
            own.subnet("10.60.0.0/24", "us-west-2b", other),
        ]
    }


def _in_one_zone(own: Own) -> dict[str, Any]:
    return {"control_plane_subnet_ids": [own.members["control_plane_subnet_ids"][0], own.subnet("10.50.3.0/24")]}


def _too_small(own: Own) -> dict[str, Any]:
    small = own.subnet("10.50.9.0/28", "us-west-2b")
    interfaces = [own.ec2.create_network_interface(SubnetId=small) for _ in range(6)]
    assert len(interfaces) == 6
    return {"control_plane_subnet_ids": [own.members["control_plane_subnet_ids"][0], small]}


def _private_as_public(own: Own) -> dict[str, Any]:
    return {"public_subnet_ids": [own.members["control_plane_subnet_ids"][0]]}


def _group_of_another_vpc(own: Own) -> dict[str, Any]:
    return {"security_group_id": own.group("sg-00000000000000001", vpc_id="vpc-00000001")}


def _closed_group(own: Own) -> dict[str, Any]:
    return {"security_group_id": own.group("sg-00000000000000002", itself=False)}


def _role_that_trusts_another(_: Own) -> dict[str, Any]:
    return {"control_plane_role_arn": role("other", "ec2.amazonaws.com", {"*": ["ec2:*"]})}


def _role_that_may_too_little(_: Own) -> dict[str, Any]:
    return {"execution_role_arn": role("weak", "sagemaker.amazonaws.com", {"*": ["ecr:*", "logs:*", "s3:*"]})}


def _role_outside_our_path(_: Own) -> dict[str, Any]:
    return {"control_plane_role_arn": role("outside", "eks.amazonaws.com", {"*": ["ec2:*"]}, path="/")}


def _role_of_another_account(_: Own) -> dict[str, Any]:
    return {"control_plane_role_arn": "arn:aws:iam::111122223333:role/instantstart/us-west-2/clusters/x"}


def _driver_that_may_not_write(_: Own) -> dict[str, Any]:
    arn = f"arn:aws:s3:::{BUCKET}"
    return {"s3_csi_role_arn": role("reader", "pods.eks.amazonaws.com", {arn: ["s3:List*"], f"{arn}/*": ["s3:Get*"]})}


def _bucket_elsewhere(_: Own) -> dict[str, Any]:
    # A session of another region; the account is the same.
    client: Any = runtime.current().session.create_client("s3", region_name="eu-west-1")
    client.create_bucket(Bucket="sagemaker-far", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    return {"bucket": "sagemaker-far"}


def _public_bucket(_: Own) -> dict[str, Any]:
    anybody = {"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": f"arn:aws:s3:::{BUCKET}/*"}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [anybody]})
    runtime.client("s3").put_bucket_policy(Bucket=BUCKET, Policy=policy)
    runtime.client("s3").put_bucket_acl(Bucket=BUCKET, ACL="public-read")
    return {}


def _bucket_that_nodes_cannot_read(_: Own) -> dict[str, Any]:
    name = "team-other"
    s3 = runtime.client("s3")
    s3.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
    return {"bucket": name, "s3_csi_role_arn": None}


def _bucket_of_another_cluster(_: Own) -> dict[str, Any]:
    name, s3 = "sagemaker-other", runtime.client("s3")
    s3.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
    s3.put_bucket_tagging(Bucket=name, Tagging={"TagSet": listed(OTHERS)})
    return {"bucket": name, "s3_csi_role_arn": None}


# What is asked for, with the status, the cause's code, the field and some words of the refusal.
REFUSALS: list[tuple[Callable[[Own], dict[str, Any]], int, str, str, str]] = [
    (lambda _: {"vpc_id": "vpc-00000000"}, 400, "REUSED_VPC", "vpc_id", "does not exist"),
    (_in_another_vpc, 400, "REUSED_SUBNET", "control_plane_subnet_ids[1]", "is in vpc-"),
    (_in_one_zone, 400, "REUSED_SUBNET", "control_plane_subnet_ids", "two different zones"),
    (_too_small, 409, "REUSED_SUBNET_ADDRESSES", "control_plane_subnet_ids[1]", "has 5 free addresses"),
    (_private_as_public, 409, "REUSED_VPC_ROUTES", "public_subnet_ids[0]", "internet gateway"),
    (_group_of_another_vpc, 400, "REUSED_SECURITY_GROUP", "security_group_id", "is in vpc-00000001"),
    (_closed_group, 409, "REUSED_SECURITY_GROUP_RULES", "security_group_id", "'inbound: all traffic from itself'"),
    (lambda _: {"s3_csi_role_arn": arn_of("none")}, 400, "REUSED_ROLE", "s3_csi_role_arn", "does not exist"),
    (_role_of_another_account, 400, "REUSED_ROLE", "control_plane_role_arn", "another account"),
    (_role_that_trusts_another, 409, "REUSED_ROLE_TRUST", "control_plane_role_arn", "eks.amazonaws.com"),
    (_role_that_may_too_little, 409, "REUSED_ROLE_POLICY", "execution_role_arn", "ec2:CreateNetworkInterface"),
    (_role_outside_our_path, 409, "PASS_ROLE", "control_plane_role_arn", "may not be handed"),
    (_driver_that_may_not_write, 409, "REUSED_ROLE_POLICY", "s3_csi_role_arn", "s3:PutObject"),
    (lambda _: {"bucket": "no-such-bucket"}, 400, "REUSED_BUCKET", "bucket", "does not exist"),
    (_bucket_elsewhere, 400, "REUSED_BUCKET", "bucket", "is in eu-west-1"),
    (_bucket_of_another_cluster, 409, "REUSED_OF_ANOTHER_CLUSTER", "bucket", "was made for cluster other"),
    (_bucket_that_nodes_cannot_read, 409, "REUSED_BUCKET_ACCESS", "execution_role_arn", "s3:GetObject on team-other"),
    # These change the VPC and the bucket for good.
    (_without_hostnames, 409, "REUSED_VPC_DNS", "vpc_id", "DNS hostnames turned off"),
]


@pytest.mark.parametrize("variable", ["ARTIFACT_BUCKET", "AUDIT_BUCKET"])
def test_a_bucket_of_the_control_plane_itself_is_nothing_for_a_cluster(edge: Edge, own: Own, variable: str) -> None:
    set_choice(edge, variable, BUCKET)
    answer = create(edge, own.members, HYPERPOD)
    assert refused(answer) == (409, "REUSED_BUCKET_ACCESS"), answer.body
    assert answer.fields == ["foundation.bucket"]


def test_what_cannot_be_taken_over_is_refused_at_its_field(edge: Edge, own: Own) -> None:
    for change, status, code, field, words in REFUSALS:
        answer = create(edge, own.members | change(own), HYPERPOD)
        assert refused(answer) == (status, code), answer.body
        first = answer.body["errors"][0]
        assert (first["field"], words in first["message"]) == (f"foundation.{field}", True), first
        assert answer.body["remedy"]


def test_everything_that_is_wrong_is_said_at_once(edge: Edge, own: Own) -> None:
    changes = [_without_hostnames, _in_one_zone, _closed_group, _role_that_trusts_another, _public_bucket]
    members: dict[str, Any] = own.members
    for change in changes:
        members = members | change(own)
    answer = create(edge, members | {"public_access_cidrs": ["203.0.113.0/24"]}, HYPERPOD)
    assert answer.status == 400
    assert set(answer.fields) == {
        "foundation.public_access_cidrs",
        "foundation.vpc_id",
        "foundation.control_plane_subnet_ids",
        "foundation.security_group_id",
        "foundation.control_plane_role_arn",
        "foundation.bucket",
    }


def test_a_vpc_without_a_way_out_is_refused_only_for_subnets_of_ours(edge: Edge, own: Own) -> None:
    [nat] = own.ec2.describe_nat_gateways(Filters=[{"Name": "vpc-id", "Values": [own.vpc_id]}])["NatGateways"]
    own.ec2.delete_nat_gateway(NatGatewayId=nat["NatGatewayId"])
    answer = create(edge, own.members, HYPERPOD)
    assert refused(answer) == (409, "REUSED_VPC_ROUTES")
    assert "NAT gateway" in answer.body["detail"]
    given = own.subnet("10.50.16.0/20", "us-west-2c")
    groups = [{"name": "gpu", "instance_type": "ml.g6.4xlarge", "instance_count": 1, "subnet_id": given}]
    told = found(create(edge, own.members, HYPERPOD | {"instance_groups": groups}))
    assert told["reused_vpc_routes"]["level"] == "warning"


@pytest.mark.case(22)
def test_a_vpc_without_room_for_the_nodes_is_refused_until_it_has_a_secondary_range(edge: Edge, own: Own) -> None:
    larger = HYPERPOD | {"subnet_prefix": 16}
    answer = create(edge, own.members, larger)
    assert refused(answer) == (409, "REUSED_VPC_ROOM")
    assert answer.fields == ["hyperpod.subnet_prefix"]
    assert "ask for a /17 or a smaller one by subnet_prefix beside instance_groups" in answer.body["remedy"]
    own.ec2.associate_vpc_cidr_block(VpcId=own.vpc_id, CidrBlock="10.51.0.0/16")
    assert create(edge, own.members, larger).status == 202


def test_a_subnet_of_a_group_has_to_be_in_the_vpc_that_is_taken_over(edge: Edge, own: Own) -> None:
    group: dict[str, JsonValue] = {"name": "gpu", "instance_type": "ml.g6.4xlarge", "instance_count": 1}
    answer = create(edge, own.members, HYPERPOD | {"instance_groups": [group | {"subnet_id": OTHER_SUBNET}]})
    assert (answer.status, answer.fields) == (400, ["hyperpod.instance_groups[0].subnet_id"])


@pytest.mark.case(13)
def test_a_security_group_of_a_group_is_judged_in_the_vpc_that_is_taken_over(edge: Edge, own: Own) -> None:
    closed = own.group("sg-00000000000000002", itself=False)
    foreign = own.group("sg-00000000000000003", vpc_id="vpc-00000001")

    def asking(group_id: str) -> dict[str, JsonValue]:
        efa: dict[str, JsonValue] = {"name": "gpu", "instance_type": "ml.p5.48xlarge", "instance_count": 2}
        return HYPERPOD | {"instance_groups": [efa | {"security_group_ids": [group_id]}]}

    answer = create(edge, own.members, asking(closed))
    assert refused(answer) == (409, "EFA_SECURITY_GROUP")
    assert "'inbound: all traffic from itself'" in answer.body["detail"]
    assert refused(create(edge, own.members, asking(foreign))) == (400, "SECURITY_GROUP_OF_ANOTHER_VPC")
    assert refused(create(edge, {}, asking(closed))) == (400, "SECURITY_GROUP_IN_NEW_VPC")


def test_a_role_outside_our_path_is_taken_over_by_a_deployment_that_may_pass_it(edge: Edge, own: Own) -> None:
    members = own.members | _role_outside_our_path(own)
    answer = create(edge, members)
    assert refused(answer) == (409, "PASS_ROLE")
    assert "PASSABLE_ROLE_ARNS" in answer.body["remedy"]
    set_choice(edge, "PASSABLE_ROLE_ARNS", f"arn:aws:iam::123456789012:role/x {members['control_plane_role_arn']}")
    assert create(edge, members).status == 202


@pytest.mark.parametrize(
    ("foundation", "field"),
    [
        ({"endpoint_access": "private"}, "endpoint_access"),
        ({"public_access_cidrs": ["10.0.0.0/8"]}, "public_access_cidrs[0]"),
        ({"public_access_cidrs": ["203.0.113.7/24"]}, "public_access_cidrs[0]"),
        ({"public_access_cidrs": ["everywhere"]}, "public_access_cidrs[0]"),
        ({"vpc_id": "vpc-00000001"}, "control_plane_subnet_ids"),
        ({"security_group_id": "sg-00000001"}, "security_group_id"),
        ({"tag_subnets": True}, "tag_subnets"),
        ({"execution_role_arn": "nodes"}, "execution_role_arn"),
    ],
)
def test_what_no_account_allows_is_refused_without_a_call(
    edge: Edge, foundation: dict[str, JsonValue], field: str
) -> None:
    edge.account.calls.clear()
    answer = create(edge, foundation)
    assert (answer.status, answer.fields) == (400, [f"foundation.{field}"])
    assert edge.account.calls == []


def test_a_private_endpoint_is_refused_with_the_reason(edge: Edge) -> None:
    answer = create(edge, {"endpoint_access": "private"})
    assert "this version's control plane reaches the cluster over its public endpoint" in answer.body["detail"]


def test_a_region_of_another_deployment_is_refused_with_ours(edge: Edge) -> None:
    answer = edge.send("POST", "/api/clusters", {"tag": "t1", "region": "eu-west-1"})
    assert (answer.status, answer.fields) == (400, ["region"])
    assert answer.body["errors"][0]["allowed"] == ["us-west-2"]


def test_an_endpoint_for_some_needs_a_deployment_with_addresses_of_its_own_which_are_added(edge: Edge) -> None:
    some = {"public_access_cidrs": ["203.0.113.0/24"]}
    answer = create(edge, some)
    assert refused(answer) == (409, "NO_FIXED_EGRESS")
    assert answer.fields == ["foundation.public_access_cidrs"]
    assert "FIXED_EGRESS_ADDRESSES" in answer.body["remedy"]
    set_choice(edge, "FIXED_EGRESS_ADDRESSES", f"{EGRESS} 203.0.113.9")
    dry = edge.send("POST", "/api/clusters", {"tag": "t1", "foundation": some}, query="dry_run=true").body
    [eks] = [change for change in dry["preview"]["changes"] if change["resource"] == "EKS cluster"]
    assert f"its public endpoint answers 203.0.113.0/24, {EGRESS}/32 alone" in eks["reason"]
    told = found(create(edge, some))["endpoint_access"]
    assert (told["level"], told["message"].startswith(f"{EGRESS}/32 is added")) == ("info", True)
    assert spec_of("t1").public_access_cidrs == ["203.0.113.0/24", f"{EGRESS}/32"]


def test_an_endpoint_for_everybody_needs_no_addresses_of_ours(edge: Edge) -> None:
    assert create(edge, {"public_access_cidrs": ["0.0.0.0/0", "203.0.113.0/24"]}).status == 202
    assert spec_of("t1").public_access_cidrs is None


def test_what_aws_does_not_tell_is_said_to_be_unchecked_and_left_to_the_stage(edge: Edge, own: Own) -> None:
    def hang(**_: object) -> None:
        raise ReadTimeoutError(endpoint_url="x")

    runtime.client("iam").meta.events.register("before-call.iam.GetRole", _denied)
    # What is refused or hangs is unchecked alone: it holds up nothing else.
    assert unchecked(create(edge, own.members)) == {"reused_role"}
    runtime.client("ec2").meta.events.register("before-call.ec2.DescribeVpcAttribute", hang)
    answer = edge.send("POST", "/api/clusters", {"tag": "t2", "foundation": own.members})
    assert unchecked(answer) == {"reused_vpc", "reused_role"}
    assert stages_of(answer.body["operation_id"])[:2] == [("preflight", "preflight"), ("foundation", "reuse")]


def unchecked(answer: Answer) -> set[str]:
    return {check for check, finding in found(answer).items() if finding["message"].startswith("unchecked")}


def _denied(**_: object) -> None:
    raise ClientError({"Error": {"Code": "AccessDenied", "Message": "no"}}, "GetRole")
