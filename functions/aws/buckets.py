"""S3 buckets by name: whether there is one, and whose it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from functions.core import runtime
from functions.core.failures import code_of, status_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from functions.core.runtime import Patience


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
    return Bucket(name, closed=False, region=found.get("BucketRegion"), tags=_tags(name, patience))


def _tags(name: str, patience: Patience | None) -> dict[str, str]:
    try:
        found = runtime.client("s3", patience).get_bucket_tagging(Bucket=name)
    except ClientError as error:
        if code_of(error) == "NoSuchTagSet":
            return {}
        raise
    return {tag["Key"]: tag["Value"] for tag in found["TagSet"]}
