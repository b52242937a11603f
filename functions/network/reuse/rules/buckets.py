"""Whether a bucket can hold what a cluster keeps: here, closed, and readable to the nodes.

Source of the prefix: AWS managed policy reference, AmazonSageMakerClusterInstanceRolePolicy (reads `sagemaker-*`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.core.findings import Finding, Level
from functions.identity.chains.rules.policy import granted
from functions.network.reuse.rules.kinds import BUCKET, BUCKET_ACCESS
from functions.network.reuse.rules.roles import INSTANCE_POLICY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from functions.core.cluster import ReusedResources
    from functions.network.reuse.models import Bucket, Facts, Role
    from functions.network.reuse.rules.roles import Home

READABLE_PREFIX: Final = "sagemaker-"
_FIELD: Final = "foundation.bucket"


def check(reused: ReusedResources, facts: Facts, home: Home) -> Iterator[Finding]:
    """Judge the bucket; an execution role of ours is made to read it."""
    if reused.bucket is not None and facts.buckets is not None:
        yield from _bucket(reused.bucket, facts.buckets.get(reused.bucket), home)


def check_reading(reused: ReusedResources, bucket: str, facts: Facts, home: Home) -> Iterator[Finding]:
    """Judge whether an execution role that is taken over reads the cluster's bucket, whichever that is."""
    role = facts.roles.get(reused.execution_role_arn or "")
    if role is None or _reads(role, bucket, home):
        return
    yield Finding(
        check=BUCKET_ACCESS,
        level=Level.ERROR,
        field="foundation.execution_role_arn",
        resource=role.arn,
        message=f"{role.arn} does not grant s3:GetObject on {bucket}, where the nodes' lifecycle scripts are",
        remedy=f"Attach {INSTANCE_POLICY} and use a bucket named {READABLE_PREFIX}*, or let the role read {bucket}.",
    )


def _bucket(name: str, bucket: Bucket | None, home: Home) -> Iterator[Finding]:
    if name in home.own_buckets:
        said = f"the bucket {name} is the control plane's own"
        yield _error(BUCKET_ACCESS, name, said, "Name another bucket, or leave bucket out.")
    elif bucket is None:
        yield _error(BUCKET, name, f"the bucket {name} does not exist", "Name a bucket that does, or leave bucket out.")
    elif not bucket.open_to_us:
        said = f"S3 denies access to {name}: it is another account's, or its policy keeps the control plane out"
        yield _error(BUCKET_ACCESS, name, said, f"Let this account's control plane use {name}, or name another bucket.")
    elif bucket.region != home.region:
        said = f"{name} is in {bucket.region}; nodes read their scripts in {home.region}"
        yield _error(BUCKET, name, said, f"Name a bucket of {home.region}.")
    elif bucket.public:
        said = f"{name} is public, and a cluster's scripts and data are not for everybody"
        yield _error(BUCKET_ACCESS, name, said, f"Block public access to {name}, then send the request again.")


def _reads(role: Role, bucket: str, home: Home) -> bool:
    if bucket.startswith(READABLE_PREFIX) and home.managed_policy(INSTANCE_POLICY) in role.attached:
        return True
    return granted(role.documents, "s3:GetObject", f"arn:{home.partition}:s3:::{bucket}/lifecycle/on_create.sh")


def _error(check: str, name: str, message: str, remedy: str) -> Finding:
    return Finding(check=check, level=Level.ERROR, field=_FIELD, message=message, resource=name, remedy=remedy)
