"""Puts the files of an archive under a prefix of a bucket, and takes them away again, when CloudFormation says so.

CDK's own BucketDeployment needs the AWS command line as a layer and a role that it writes itself; this needs neither.
It runs alone on Lambda: only the standard library and the runtime's boto3 are there.
"""

from __future__ import annotations

import io
import json
import urllib.request
import zipfile
from typing import TYPE_CHECKING, TypedDict

import boto3

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client


class Wanted(TypedDict):
    """Which archive goes where; `Prefix` ends without a slash."""

    SourceBucket: str
    SourceKey: str
    Bucket: str
    Prefix: str


class Request(TypedDict, total=False):
    """What CloudFormation sends (CloudFormation user guide, "Custom resource request objects")."""

    RequestType: str
    ResponseURL: str
    StackId: str
    RequestId: str
    LogicalResourceId: str
    PhysicalResourceId: str
    ResourceProperties: Wanted


def handler(event: Request, _context: object) -> None:
    """Do what is asked and tell how it ended: a request without an answer holds a deployment up for an hour."""
    try:
        place = _obey(boto3.client("s3"), event)
        answer = {"Status": "SUCCESS", "PhysicalResourceId": place}
    except Exception as error:  # whatever it was, CloudFormation has to hear of it
        wanted = event["ResourceProperties"]
        reason = f"The files of {wanted['Bucket']}/{wanted['Prefix']} could not be changed: {error}"
        answer = {"Status": "FAILED", "PhysicalResourceId": _known(event), "Reason": reason}
    _answer(event, answer)


def _obey(s3: S3Client, event: Request) -> str:
    if event["RequestType"] == "Delete":
        _remove(s3, event["PhysicalResourceId"])
        return event["PhysicalResourceId"]
    # The place is the resource's identity: CloudFormation deletes the former release's only when the update stands.
    return _put(s3, event["ResourceProperties"])


def _put(s3: S3Client, wanted: Wanted) -> str:
    archive = s3.get_object(Bucket=wanted["SourceBucket"], Key=wanted["SourceKey"])["Body"].read()
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        for name in files.namelist():
            s3.put_object(Bucket=wanted["Bucket"], Key=f"{wanted['Prefix']}/{name}", Body=files.read(name))
    return _place(wanted)


def _remove(s3: S3Client, place: str) -> None:
    bucket, separator, prefix = place.partition("/")
    if not separator:
        return  # a creation that failed made nothing
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=f"{prefix}/"):
        for found in page.get("Contents", []):
            s3.delete_object(Bucket=bucket, Key=found["Key"])


def _place(wanted: Wanted) -> str:
    return f"{wanted['Bucket']}/{wanted['Prefix']}"


def _known(event: Request) -> str:
    return event.get("PhysicalResourceId") or "nothing"


def _answer(event: Request, answer: dict[str, str]) -> None:
    told = {**answer, "StackId": event["StackId"], "RequestId": event["RequestId"]}
    body = json.dumps({**told, "LogicalResourceId": event["LogicalResourceId"]}).encode()
    # The address is signed without a content type, so none may be sent.
    request = urllib.request.Request(event["ResponseURL"], data=body, method="PUT", headers={"Content-Type": ""})
    with urllib.request.urlopen(request, timeout=30) as answered:
        answered.read()
