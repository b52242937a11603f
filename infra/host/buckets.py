"""The deployment's own buckets: what a release ships, and what is kept for years."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.host.acknowledged import acknowledge
from infra.shapes import Bucket

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from infra.release import Place


class Buckets(Construct):
    """The artifact bucket, and those of the topology by name; the latter outlive the deployment."""

    artifacts: s3.Bucket
    by_name: Mapping[str, s3.Bucket]

    def __init__(self, scope: Construct, construct_id: str, *, buckets: Sequence[Bucket], place: Place) -> None:
        super().__init__(scope, construct_id)
        # Every release writes its files anew, so this one goes with the deployment; it is empty by then.
        self.artifacts = self._add("artifacts", place, removal_policy=RemovalPolicy.DESTROY)
        self.by_name = {each.name: self._kept(each, place) for each in buckets}

    def _kept(self, bucket: Bucket, place: Place) -> s3.Bucket:
        days = Duration.days(bucket.keep_days)
        return self._add(
            bucket.name,
            place,
            removal_policy=RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
            # What was overwritten or deleted stays as long as the rest: it says who did what.
            versioned=True,
            rules=[s3.LifecycleRule(id="keep", expiration=days, noncurrent_version_expiration=days)],
        )

    def _add(
        self,
        name: str,
        place: Place,
        *,
        removal_policy: RemovalPolicy,
        versioned: bool = False,
        rules: Sequence[s3.LifecycleRule] = (),
    ) -> s3.Bucket:
        bucket = s3.Bucket(
            self,
            name,
            bucket_name=place.bucket(name),
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            encryption=s3.BucketEncryption.S3_MANAGED,
            enforce_ssl=True,
            minimum_tls_version=1.2,
            versioned=versioned,
            lifecycle_rules=[*rules],
            removal_policy=removal_policy,
        )
        acknowledge(bucket, "S1", "Only our own roles reach it, and what they do is in the audit and in CloudTrail.")
        bucket.add_lifecycle_rule(id="abandoned", abort_incomplete_multipart_upload_after=Duration.days(1))
        return bucket
