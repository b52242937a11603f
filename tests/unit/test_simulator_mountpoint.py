"""What Mountpoint says of a bucket and a role, and when policies allow an action."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

import pytest
from moto import mock_aws

from infra.local.simulators.mountpoint import Mountpoint, allows
from tests.unit.test_simulator_service_helpers import REGION, make_role, moto_client

if TYPE_CHECKING:
    from botocore.client import BaseClient

    from infra.local.simulators.service import JsonObject

BUCKET = "arn:aws:s3:::team-bucket"


def statement(action: object, resource: object, effect: str = "Allow", **more: object) -> JsonObject:
    return {"Effect": effect, "Action": action, "Resource": resource, **more}


def policy(*statements: JsonObject) -> JsonObject:
    return {"Version": "2012-10-17", "Statement": list(statements)}


@pytest.mark.parametrize(
    ("statements", "allowed"),
    [
        ([statement("s3:ListBucket", BUCKET)], True),
        ([statement("S3:listbucket", BUCKET)], True),
        ([statement(["s3:Get*", "s3:List*"], ["arn:aws:s3:::other", "arn:aws:s3:::team-*"])], True),
        ([statement("s3:List?ucket", "*")], True),
        ([statement("*", "*")], True),
        ([statement("s3:ListBucket", "team-bucket")], False),
        ([statement("s3:ListBucket", "arn:aws-cn:s3:::team-bucket")], False),
        ([statement("s3:ListBucket", f"{BUCKET}/*")], False),
        ([statement("s3:GetObject", BUCKET)], False),
        ([statement("s3:*", "*"), statement("s3:ListBucket", BUCKET, "Deny")], False),
        ([statement("s3:*", "*"), statement("s3:*", "*", "Deny", Condition={"Bool": {}})], True),
        ([{"Effect": "Allow", "NotAction": "s3:Put*", "NotResource": "arn:aws:s3:::other"}], True),
        ([{"Effect": "Allow", "NotAction": "s3:List*", "Resource": "*"}], False),
        ([], False),
    ],
)
def test_policies_allow_what_a_statement_names_and_none_refuses(statements: list[JsonObject], allowed: bool) -> None:
    assert allows([policy(*statements)], "s3:ListBucket", BUCKET) is allowed


def test_a_single_statement_need_not_be_a_list() -> None:
    assert allows([{"Statement": statement("s3:ListBucket", BUCKET)}], "s3:ListBucket", BUCKET)


@pytest.fixture
def role() -> Iterator[str]:
    with mock_aws():
        moto_client("s3").create_bucket(Bucket="team-bucket")
        yield make_role("csi", "pods.eks.amazonaws.com", "/instantstart/")


def problem(role: str, region: str = REGION, bucket: str = "team-bucket", driver: str = "s3.csi.aws.com") -> str:
    csi = {"driver": driver, "volumeAttributes": {"bucketName": bucket}}
    volume: JsonObject = {"metadata": {"name": "v"}, "spec": {"csi": csi, "mountOptions": [f"region {region}"]}}
    return mountpoint(role).problem({"metadata": {"uid": "1"}}, volume)


def mountpoint(role: str) -> Mountpoint:
    return Mountpoint(
        lambda: role, lambda: cast("BaseClient", moto_client("iam")), lambda: cast("BaseClient", moto_client("s3"))
    )


def grant(*statements: JsonObject) -> None:
    moto_client("iam").put_role_policy(
        RoleName="csi", PolicyName="inline", PolicyDocument=json.dumps(policy(*statements))
    )


def test_a_mount_needs_a_role_a_bucket_its_region_and_the_right_to_list_it(role: str) -> None:
    assert "No signing credentials" in problem("")
    assert "No signing credentials" in problem(f"{role}-gone")
    assert "The bucket does not exist" in problem(role, bucket="no-bucket")
    assert f"Wrong region (expecting {REGION})" in problem(role, region="eu-west-1")
    assert "not authorized to perform: s3:ListBucket" in problem(role)
    grant(statement("s3:ListBucket", BUCKET))
    assert problem(role) == ""


def test_an_attached_policy_counts_as_well(role: str) -> None:
    iam = moto_client("iam")
    document = json.dumps(policy(statement("s3:*", "*")))
    arn = iam.create_policy(PolicyName="attached", PolicyDocument=document)["Policy"]["Arn"]
    iam.attach_role_policy(RoleName="csi", PolicyArn=arn)
    assert problem(role) == ""


def test_a_volume_of_another_driver_is_not_its_business(role: str) -> None:
    assert problem("", driver="fsx.csi.aws.com") == ""


def test_a_file_is_refused_by_the_first_action_that_is_missing(role: str) -> None:
    objects = f"{BUCKET}/*"
    assert mountpoint(role).complaint("team-bucket", "f") == "can't create f: Permission denied"
    grant(statement("s3:PutObject", objects))
    assert mountpoint(role).complaint("team-bucket", "f") == "can't open f: Permission denied"
    grant(statement(["s3:PutObject", "s3:GetObject"], objects))
    assert mountpoint(role).complaint("team-bucket", "f") == "can't remove f: Permission denied"
    grant(statement(["s3:PutObject", "s3:GetObject", "s3:DeleteObject"], objects))
    assert mountpoint(role).complaint("team-bucket", "f") == ""
