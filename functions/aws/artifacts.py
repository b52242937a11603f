"""Objects in S3: the release's artifacts, copied into a cluster's bucket."""

from __future__ import annotations

from botocore.exceptions import ClientError

from functions.core import runtime
from functions.core.errors import ArtifactMissing, Cause, Layer
from functions.core.failures import code_of


def entity_tag(bucket: str, key: str) -> str | None:
    """Give the entity tag of an object; None when there is none. Raises the client's own errors."""
    try:
        return runtime.client("s3").head_object(Bucket=bucket, Key=key)["ETag"]
    except ClientError as error:
        if code_of(error) in ("404", "NoSuchKey", "NotFound"):
            return None
        raise


def copy(source_bucket: str, source_key: str, bucket: str, key: str) -> None:
    """Copy an artifact; raises ArtifactMissing when the release does not have it."""
    try:
        runtime.client("s3").copy_object(
            Bucket=bucket, Key=key, CopySource={"Bucket": source_bucket, "Key": source_key}
        )
    except ClientError as error:
        if code_of(error) != "NoSuchKey":
            raise
        raise ArtifactMissing(
            f"The release's artifact s3://{source_bucket}/{source_key} is missing.",
            cause=Cause(
                layer=Layer.CONTROL_PLANE,
                service="s3",
                api_call=error.operation_name,
                code="NoSuchKey",
                resource=f"s3://{source_bucket}/{source_key}",
            ),
            remedy="Deploy the release again; its artifacts are incomplete.",
        ) from error
