"""S3 buckets by name: whether there is one and whose it is, and how it is emptied and deleted."""

from __future__ import annotations

from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from functions.core import runtime
from functions.core.errors import Cause, Layer, Problem
from functions.core.failures import code_of, failure, status_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from types_boto3_s3.type_defs import ErrorTypeDef, ListObjectVersionsOutputTypeDef, ObjectIdentifierTypeDef

    from functions.core.runtime import Patience

_ABSENT: Final = ("404", "NoSuchBucket", "NotFound")


@dataclass(frozen=True)
class Bucket:
    """A bucket as it stands; names are global, so it may be `closed` to us or in another region.

    `region` is None where S3 does not say it.
    """

    name: str
    closed: bool
    region: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)


def find(name: str, account_id: str, patience: Patience | None = None) -> Bucket | None:
    """Look for a bucket of the account, or anybody's; None when the name is free. Raises the client's own errors.

    Source: S3 API reference, HeadBucket: 404 without bucket, 403 for one of another account or of a policy that shuts
    us out, 301 (which botocore follows where it may) for one of another region.
    """
    client = runtime.client("s3", patience)
    try:
        found = client.head_bucket(Bucket=name, ExpectedBucketOwner=account_id)
    except ClientError as error:
        status = status_of(error)
        if status == HTTPStatus.NOT_FOUND:
            return None
        if status in (HTTPStatus.FORBIDDEN, HTTPStatus.MOVED_PERMANENTLY):
            return Bucket(name, closed=True)
        raise
    return Bucket(name, closed=False, region=found.get("BucketRegion"), tags=tags(name, patience) or {})


def exists(name: str, patience: Patience | None = None) -> bool:
    """Say whether a bucket is there. Raises the client's own errors."""
    try:
        runtime.client("s3", patience).head_bucket(Bucket=name)
    except ClientError as error:
        if code_of(error) in _ABSENT:
            return False
        raise
    return True


def tags(name: str, patience: Patience | None = None) -> dict[str, str] | None:
    """Read the tags of a bucket; None when there is no bucket. Raises the client's own errors."""
    try:
        found = runtime.client("s3", patience).get_bucket_tagging(Bucket=name)["TagSet"]
    except ClientError as error:
        if code_of(error) in _ABSENT:
            return None
        if code_of(error) == "NoSuchTagSet":
            return {}
        raise
    return {tag["Key"]: tag["Value"] for tag in found}


def empty(name: str, pages: int) -> bool:
    """Delete objects with all their versions, a thousand a page, and unfinished uploads; say whether none is left."""
    client = runtime.client("s3")
    for _ in range(pages):
        page = client.list_object_versions(Bucket=name)
        doomed = _identifiers(page)
        if not doomed:
            return _abort_uploads(name)
        answer = client.delete_objects(Bucket=name, Delete={"Objects": doomed, "Quiet": True})
        if refused := answer.get("Errors"):
            raise _kept(name, refused[0])
    return False


def delete(name: str) -> bool:
    """Delete a bucket, gone before or now; False when something was put into it meanwhile."""
    try:
        runtime.client("s3").delete_bucket(Bucket=name)
    except ClientError as error:
        if code_of(error) == "BucketNotEmpty":
            return False
        if code_of(error) not in _ABSENT:
            raise
    return True


def _identifiers(page: ListObjectVersionsOutputTypeDef) -> list[ObjectIdentifierTypeDef]:
    listed = [*page.get("Versions", []), *page.get("DeleteMarkers", [])]
    return [{"Key": each.get("Key", ""), "VersionId": each.get("VersionId", "null")} for each in listed]


def _kept(name: str, error: ErrorTypeDef) -> Problem:
    """Make the problem of an object that S3 keeps: such an answer is no error to its client."""
    resource = f"s3://{name}/{error.get('Key', '')}"
    cause = Cause(layer=Layer.AWS, service="s3", api_call="DeleteObjects", code=error.get("Code"), resource=resource)
    return failure(f"DeleteObjects: {resource}: {error.get('Message', 'no message')}", cause)


def _abort_uploads(name: str) -> bool:
    client = runtime.client("s3")
    uploads = client.list_multipart_uploads(Bucket=name).get("Uploads", [])
    for upload in uploads:
        client.abort_multipart_upload(Bucket=name, Key=upload.get("Key", ""), UploadId=upload.get("UploadId", ""))
    return not uploads
