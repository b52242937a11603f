"""The host's own clients of its simulated cloud, typed; botocore makes clients by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from botocore.client import BaseClient
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_iam import IAMClient
    from types_boto3_s3 import S3Client
    from types_boto3_stepfunctions import SFNClient


class Clients:
    """Clients by attribute, made by a function from service names."""

    def __init__(self, make: Callable[[str], BaseClient]) -> None:
        self._make = make

    @property
    def dynamodb(self) -> DynamoDBClient:
        """DynamoDB."""
        return cast("DynamoDBClient", self._make("dynamodb"))

    @property
    def iam(self) -> IAMClient:
        """IAM."""
        return cast("IAMClient", self._make("iam"))

    @property
    def s3(self) -> S3Client:
        """S3."""
        return cast("S3Client", self._make("s3"))

    @property
    def stepfunctions(self) -> SFNClient:
        """Step Functions."""
        return cast("SFNClient", self._make("stepfunctions"))
