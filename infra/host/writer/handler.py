"""Writes files into buckets while a deployment runs: what CloudFormation asks of a custom resource.

Its properties name a `bucket`; `archives` (`{bucket, key, prefix, cache_control}`), zip files whose members are
written under the prefix; and `documents` (`{key, body, media_type, cache_control}`). Files of earlier releases stay
until the resource goes: operations that run, and pages that are open, still read them.
"""

from __future__ import annotations

import io
import json
import logging
import mimetypes
import urllib.request
import zipfile
from typing import TYPE_CHECKING, Final, NotRequired, TypedDict, cast

import botocore.session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from types_boto3_s3 import S3Client
    from types_boto3_s3.type_defs import ObjectIdentifierTypeDef

_logger: Final = logging.getLogger(__name__)


class Archive(TypedDict):
    """A zip file and where its members go."""

    bucket: str
    key: str
    prefix: str
    cache_control: str


class Document(TypedDict):
    """One file as text."""

    key: str
    body: str
    media_type: str
    cache_control: str


class Properties(TypedDict):
    """What the template says of the resource; it leaves out lists that are empty."""

    bucket: str
    archives: NotRequired[list[Archive]]
    documents: NotRequired[list[Document]]


class Event(TypedDict):
    """A request of CloudFormation."""

    RequestType: str
    ResponseURL: str
    StackId: str
    RequestId: str
    LogicalResourceId: str
    ResourceProperties: Properties


def handler(event: Event, _context: object) -> None:
    """Do what is asked and tell CloudFormation how it went."""
    reason = ""
    try:
        _act(event["RequestType"], event["ResourceProperties"], _s3())
    except Exception as error:  # whatever it is, a stack that hears nothing waits for an hour
        _logger.exception("not written")
        reason = f"{event['ResourceProperties']['bucket']}: {error}"
    _tell(event, reason)


def _s3() -> S3Client:
    # Of what Lambda's runtime brings, an emulator brings this much and not boto3.
    return cast("S3Client", botocore.session.get_session().create_client("s3"))


def _act(request_type: str, properties: Properties, s3: S3Client) -> None:
    bucket = properties["bucket"]
    if request_type == "Delete":
        _empty(bucket, s3)
        return
    for archive in properties.get("archives", []):
        _unpack(archive, bucket, s3)
    for document in properties.get("documents", []):
        s3.put_object(
            Bucket=bucket,
            Key=document["key"],
            Body=document["body"].encode(),
            ContentType=document["media_type"],
            CacheControl=document["cache_control"],
        )


def _unpack(archive: Archive, bucket: str, s3: S3Client) -> None:
    content = s3.get_object(Bucket=archive["bucket"], Key=archive["key"])["Body"].read()
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        for name in packed.namelist():
            if not name.endswith("/"):
                s3.put_object(
                    Bucket=bucket,
                    Key=f"{archive['prefix']}{name}",
                    Body=packed.read(name),
                    ContentType=mimetypes.guess_type(name)[0] or "application/octet-stream",
                    CacheControl=archive["cache_control"],
                )


def _empty(bucket: str, s3: S3Client) -> None:
    for objects in _pages(bucket, s3):
        answer = s3.delete_objects(Bucket=bucket, Delete={"Objects": objects, "Quiet": True})
        if errors := answer.get("Errors"):
            raise RuntimeError(f"{len(errors)} objects stay, first {errors[0].get('Key')}: {errors[0].get('Message')}")


def _pages(bucket: str, s3: S3Client) -> Iterator[list[ObjectIdentifierTypeDef]]:
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket):
        if found := page.get("Contents"):
            yield [{"Key": each["Key"]} for each in found]


def _tell(event: Event, reason: str) -> None:
    answer = {
        "Status": "FAILED" if reason else "SUCCESS",
        "Reason": reason,
        # The same for ever: another id would have CloudFormation delete what was just written.
        "PhysicalResourceId": event["ResourceProperties"]["bucket"],
        "StackId": event["StackId"],
        "RequestId": event["RequestId"],
        "LogicalResourceId": event["LogicalResourceId"],
    }
    # The address is signed for a request without a content type.
    request = urllib.request.Request(
        event["ResponseURL"], json.dumps(answer).encode(), {"content-type": ""}, method="PUT"
    )
    with urllib.request.urlopen(request, timeout=30):
        pass
