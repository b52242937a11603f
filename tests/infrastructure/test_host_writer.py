"""The function that CloudFormation has write files, run as it is on a bucket, with an ear for what it answers."""

from __future__ import annotations

import io
import json
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING

import boto3
import pytest
from moto import mock_aws

from infra.host.writer.handler import Event, Properties, handler

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

PAGE = "public, max-age=1"


class CloudFormation:
    """What a stack hears: one answer for each request, put at the address that the request names."""

    def __init__(self) -> None:
        heard: list[tuple[dict[str, str], str | None]] = []

        class Ear(BaseHTTPRequestHandler):
            def do_PUT(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                heard.append((json.loads(body), self.headers["content-type"]))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = HTTPServer(("127.0.0.1", 0), Ear)
        self._heard = heard
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def ask(self, request_type: str, properties: Properties) -> dict[str, str]:
        """Send a request to the function and give its answer."""
        event: Event = {
            "RequestType": request_type,
            "ResponseURL": f"http://127.0.0.1:{self._server.server_port}/answer?signature=s",
            "StackId": "stack",
            "RequestId": "request",
            "LogicalResourceId": "Files",
            "ResourceProperties": properties,
        }
        handler(event, None)
        answer, content_type = self._heard.pop()
        assert not content_type  # the address is signed for a request without one
        return answer

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def cloudformation() -> Iterator[CloudFormation]:
    made = CloudFormation()
    yield made
    made.close()


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Client]:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        client = boto3.client("s3")
        for bucket in ("uploaded", "console"):
            client.create_bucket(Bucket=bucket)
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as packed:
            packed.mkdir("assets")
            packed.writestr("index.html", "<!doctype html>")
            packed.writestr("assets/index.js", "void 0")
            packed.writestr("assets/unknown.zzz", b"\0")
        client.put_object(Bucket="uploaded", Key="hash.zip", Body=archive.getvalue())
        yield client


def properties() -> Properties:
    return {
        "bucket": "console",
        "archives": [{"bucket": "uploaded", "key": "hash.zip", "prefix": "r1/", "cache_control": PAGE}],
        "documents": [
            {"key": "config.json", "body": "{}", "media_type": "application/json", "cache_control": "no-cache"}
        ],
    }


def keys(s3: S3Client) -> list[str]:
    return [each["Key"] for each in s3.list_objects_v2(Bucket="console").get("Contents", [])]


@pytest.mark.parametrize("request_type", ["Create", "Update"])
def test_files_and_documents_are_written_with_their_kinds(
    request_type: str, s3: S3Client, cloudformation: CloudFormation
) -> None:
    answer = cloudformation.ask(request_type, properties())

    assert (answer["Status"], answer["PhysicalResourceId"]) == ("SUCCESS", "console")
    assert keys(s3) == ["config.json", "r1/assets/index.js", "r1/assets/unknown.zzz", "r1/index.html"]
    page = s3.get_object(Bucket="console", Key="r1/index.html")
    assert (page["ContentType"], page["CacheControl"]) == ("text/html", PAGE)
    assert s3.get_object(Bucket="console", Key="r1/assets/unknown.zzz")["ContentType"] == "application/octet-stream"
    config = s3.get_object(Bucket="console", Key="config.json")
    assert (config["ContentType"], config["CacheControl"]) == ("application/json", "no-cache")


def test_what_the_template_leaves_out_is_not_written(s3: S3Client, cloudformation: CloudFormation) -> None:
    assert cloudformation.ask("Create", {"bucket": "console"})["Status"] == "SUCCESS"
    assert keys(s3) == []


def test_files_of_an_earlier_release_stay_when_the_next_is_written(
    s3: S3Client, cloudformation: CloudFormation
) -> None:
    s3.put_object(Bucket="console", Key="r0/index.html", Body=b"")

    cloudformation.ask("Update", properties())

    assert "r0/index.html" in keys(s3)


def test_a_bucket_that_goes_is_emptied_however_full_it_is(s3: S3Client, cloudformation: CloudFormation) -> None:
    for number in range(1_001):  # one more than a page lists
        s3.put_object(Bucket="console", Key=f"{number}", Body=b"")

    assert cloudformation.ask("Delete", properties())["Status"] == "SUCCESS"
    assert keys(s3) == []


def test_a_stack_hears_what_went_wrong_instead_of_waiting_for_an_hour(
    s3: S3Client, cloudformation: CloudFormation
) -> None:
    s3.delete_object(Bucket="uploaded", Key="hash.zip")

    answer = cloudformation.ask("Create", properties())

    assert answer["Status"] == "FAILED"
    assert answer["Reason"].startswith("console: ")
    assert "NoSuchKey" in answer["Reason"]
    assert (answer["StackId"], answer["RequestId"], answer["LogicalResourceId"]) == ("stack", "request", "Files")
