"""Objects in S3: the release's artifacts, copied into a cluster's bucket."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from functions.core import runtime
from functions.core.errors import ArtifactMissing, Cause, Layer
from functions.core.failures import code_of

if TYPE_CHECKING:
    from functions.core.runtime import Patience


def entity_tag(bucket: str, key: str) -> str | None:
    """Give the entity tag of an object; None when there is none. Raises the client's own errors."""
    try:
        return runtime.client("s3").head_object(Bucket=bucket, Key=key)["ETag"]
    except ClientError as error:
        if code_of(error) in ("404", "NoSuchKey", "NotFound"):
            return None
        raise


def ensure(source_bucket: str, source_key: str, bucket: str, key: str) -> None:
    """Have a release's artifact in a bucket, copying it unless it is there; raises ArtifactMissing."""
    shipped = entity_tag(source_bucket, source_key)
    if shipped is None:
        raise _missing(f"s3://{source_bucket}/{source_key}")
    if entity_tag(bucket, key) != shipped:
        _copy(source_bucket, source_key, bucket, key)


def _copy(source_bucket: str, source_key: str, bucket: str, key: str) -> None:
    runtime.client("s3").copy_object(Bucket=bucket, Key=key, CopySource={"Bucket": source_bucket, "Key": source_key})


def _missing(artifact: str) -> ArtifactMissing:
    return ArtifactMissing(
        f"The release's artifact {artifact} is missing.",
        cause=Cause(layer=Layer.CONTROL_PLANE, service="s3", api_call="HeadObject", code="NotFound", resource=artifact),
        remedy="Deploy the release again; its artifacts are incomplete. Nothing you send can help.",
    )


def fetch(bucket: str, key: str) -> bytes:
    """Read an artifact of the release; raises ArtifactMissing."""
    client = runtime.client("s3")
    try:
        return client.get_object(Bucket=bucket, Key=key)["Body"].read()
    except client.exceptions.NoSuchKey as error:
        raise _missing(f"s3://{bucket}/{key}") from error


def beginning(bucket: str, key: str, size: int, patience: Patience | None = None) -> tuple[int, bytes] | None:
    """Give an object's size and its first `size` bytes; None when there is none. Raises the client's errors."""
    client = runtime.client("s3", patience)
    try:
        whole = client.head_object(Bucket=bucket, Key=key)["ContentLength"]
        if not whole:
            return 0, b""
        return whole, client.get_object(Bucket=bucket, Key=key, Range=f"bytes=0-{size - 1}")["Body"].read()
    except ClientError as error:
        if code_of(error) in ("404", "NoSuchKey", "NoSuchBucket", "NotFound"):
            return None
        raise
