"""S3 resource types of stacks: buckets and their policies."""

from __future__ import annotations

import json

from botocore.exceptions import ClientError

from infra.local.simulators.stack_handlers import Call, HandlerFailure, ResourceType, names


def _create_bucket(call: Call) -> None:
    name = call.properties.get("BucketName") or call.generated_name().lower()
    if _exists(call, name):
        # S3 itself would call creating one's own bucket again a success in us-east-1.
        raise HandlerFailure(f"{name} already exists (Service: S3, Status Code: 0, Request ID: null)", "AlreadyExists")
    located = {} if call.host.region == "us-east-1" else {"LocationConstraint": call.host.region}
    call.ask("s3", "create_bucket", Bucket=name, **({"CreateBucketConfiguration": located} if located else {}))
    call.created(
        name,
        Arn=f"arn:aws:s3:::{name}",
        DomainName=f"{name}.s3.amazonaws.com",
        RegionalDomainName=f"{name}.s3.{call.host.region}.amazonaws.com",
    )
    configure_bucket(call)


def _exists(call: Call, name: str) -> bool:
    try:
        call.ask("s3", "head_bucket", Bucket=name)
    except ClientError as error:
        if error.response["Error"]["Code"] in ("404", "NoSuchBucket"):
            return False
        raise
    return True


def configure_bucket(call: Call) -> None:
    """Give a bucket what its template says of it."""
    name = call.physical_id
    if call.tag_list:
        call.ask("s3", "put_bucket_tagging", Bucket=name, Tagging={"TagSet": call.tag_list})
    if "PublicAccessBlockConfiguration" in call.properties:
        block = call.properties["PublicAccessBlockConfiguration"]
        call.ask("s3", "put_public_access_block", Bucket=name, PublicAccessBlockConfiguration=block)
    if "BucketEncryption" in call.properties:
        rules = [
            {"ApplyServerSideEncryptionByDefault": rule["ServerSideEncryptionByDefault"]}
            for rule in call.properties["BucketEncryption"]["ServerSideEncryptionConfiguration"]
        ]
        call.ask("s3", "put_bucket_encryption", Bucket=name, ServerSideEncryptionConfiguration={"Rules": rules})


def _delete_bucket(call: Call) -> None:
    call.ask("s3", "delete_bucket", Bucket=call.physical_id)


def _put_policy(call: Call) -> None:
    bucket = call.properties["Bucket"]
    call.ask("s3", "put_bucket_policy", Bucket=bucket, Policy=json.dumps(call.properties["PolicyDocument"]))
    call.created(bucket)


def _delete_policy(call: Call) -> None:
    call.ask("s3", "delete_bucket_policy", Bucket=call.physical_id)


STORAGE_TYPES = {
    "AWS::S3::Bucket": ResourceType(
        _create_bucket,
        _delete_bucket,
        properties=names("BucketName BucketEncryption PublicAccessBlockConfiguration Tags"),
        attributes=names("Arn DomainName RegionalDomainName"),
        seconds=22,
    ),
    "AWS::S3::BucketPolicy": ResourceType(
        _put_policy,
        _delete_policy,
        properties=names("Bucket PolicyDocument"),
        required=names("Bucket PolicyDocument"),
        seconds=2,
    ),
}
