"""The buckets behind the console's address: its files, and who asked for what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_s3 as s3
from constructs import Construct

if TYPE_CHECKING:
    from infra.host.context import Context
    from infra.release import Place


class ConsoleBuckets(Construct):
    """`files` goes with the deployment, which empties it first; `logs` stays, because someone may want to know."""

    def __init__(self, scope: Construct, construct_id: str, *, context: Context, place: Place) -> None:
        super().__init__(scope, construct_id)
        self.logs = s3.Bucket(
            self,
            "Logs",
            # Without a name of ours, which the next deployment would find taken.
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            encryption=s3.BucketEncryption.S3_MANAGED,
            enforce_ssl=True,
            minimum_tls_version=1.2,
            # CloudFront writes its log by an access control list.
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_PREFERRED,
            lifecycle_rules=[s3.LifecycleRule(id="expire", expiration=Duration.days(context.log_retention_days))],
            removal_policy=RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
        )
        self.files = s3.Bucket(
            self,
            "Files",
            bucket_name=place.bucket("console"),
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            encryption=s3.BucketEncryption.S3_MANAGED,
            enforce_ssl=True,
            minimum_tls_version=1.2,
            server_access_logs_bucket=self.logs,
            server_access_logs_prefix="console/",
            removal_policy=RemovalPolicy.DESTROY,
        )
