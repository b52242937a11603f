"""What IAM is asked for calls of S3, whose actions have other names than its operations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

from infra.local.authorization.asking import Unknown
from infra.local.authorization.evaluation import Asked

if TYPE_CHECKING:
    from infra.local.authorization.live import Live
    from infra.local.authorization.parsing import Call

# Source: S3 user guide, "Required permissions for Amazon S3 API operations".
_ON_BUCKETS: Final = {
    "CreateBucket": "CreateBucket",
    "DeleteBucket": "DeleteBucket",
    "DeleteBucketPolicy": "DeleteBucketPolicy",
    "GetBucketAcl": "GetBucketAcl",
    "GetBucketEncryption": "GetEncryptionConfiguration",
    "GetBucketLocation": "GetBucketLocation",
    "GetBucketPolicy": "GetBucketPolicy",
    "GetBucketPolicyStatus": "GetBucketPolicyStatus",
    "GetBucketTagging": "GetBucketTagging",
    "GetPublicAccessBlock": "GetBucketPublicAccessBlock",
    "HeadBucket": "ListBucket",
    "ListMultipartUploads": "ListBucketMultipartUploads",
    "ListObjectVersions": "ListBucketVersions",
    "ListObjectsV2": "ListBucket",
    "PutBucketEncryption": "PutEncryptionConfiguration",
    "PutBucketPolicy": "PutBucketPolicy",
    "PutBucketTagging": "PutBucketTagging",
    "PutPublicAccessBlock": "PutBucketPublicAccessBlock",
}
_ON_OBJECTS: Final = {
    "AbortMultipartUpload": "AbortMultipartUpload",
    "GetObject": "GetObject",
    "HeadObject": "GetObject",
    "PutObject": "PutObject",
}


def asked(call: Call, live: Live) -> Iterator[Asked]:
    """Say what is asked; raises Unknown."""
    bucket, key = call.text("Bucket"), call.text("Key")
    if call.operation in _ON_BUCKETS:
        yield _on(live, _ON_BUCKETS[call.operation], bucket)
    elif call.operation == "CopyObject":
        source, _, copied = unquote(call.text("CopySource")).removeprefix("/").partition("/")
        yield _on(live, "GetObject", source, copied.partition("?")[0])
        yield _on(live, "PutObject", bucket, key)
    elif call.operation == "DeleteObjects":
        yield from _deletions(call, live)
    elif call.operation == "DeleteObject":
        yield from _deletion(live, bucket, key, call.text("VersionId"))
    elif call.operation in _ON_OBJECTS:
        yield _on(live, _ON_OBJECTS[call.operation], bucket, key)
    else:
        raise Unknown(call.operation)


def reading(live: Live, url: str) -> Iterator[Asked]:
    """Ask to read the object of a URL of S3, as CloudFormation does in its caller's name."""
    place = urlsplit(url)
    host, path = place.netloc, place.path.lstrip("/")
    bucket, found, _ = host.partition(".s3")
    if not found:
        bucket, _, path = path.partition("/")
    yield _on(live, "GetObject", bucket, unquote(path))


def _deletions(call: Call, live: Live) -> Iterator[Asked]:
    for item in ElementTree.fromstring(call.text("Body")).iter():
        if item.tag.rpartition("}")[2] == "Object":
            told = {part.tag.rpartition("}")[2]: part.text or "" for part in item}
            yield from _deletion(live, call.text("Bucket"), told["Key"], told.get("VersionId", ""))


def _deletion(live: Live, bucket: str, key: str, version: str) -> Iterator[Asked]:
    """Ask to delete an object: always for that, and for a version of it too.

    Source: S3 API reference, "DeleteObjects", Permissions.
    """
    yield _on(live, "DeleteObject", bucket, key)
    if version:
        yield _on(live, "DeleteObjectVersion", bucket, key)


def _on(live: Live, action: str, bucket: str, key: str = "") -> Asked:
    account = live.bucket_account(bucket)
    context = {"s3:ResourceAccount": (account,)} if account else {}
    resource = f"arn:{live.place.partition}:s3:::{bucket}"
    return Asked(f"s3:{action}", f"{resource}/{key}" if key else resource, context)
