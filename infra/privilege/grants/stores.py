"""Grants on what holds data: the deployment's tables, keys and buckets, buckets of clusters, logs of nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.capacity.stages.lifecycle_scripts import SCRIPT_KEY
from infra.privilege.documents import Condition
from infra.privilege.grant import Grant, buckets, named
from infra.release import signing_keys
from infra.topology import AUDIT_BUCKET, PREFIX

if TYPE_CHECKING:
    from infra.release import Place
    from infra.shapes import Access, Function
    from infra.topology import Topology

_STREAM = ("dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator")


def tables(topology: Topology, place: Place, function: Function) -> tuple[Grant, ...]:
    """Give the grants of one function on the tables and indexes that it uses, and the streams that it hears."""
    heard = [f"table/{PREFIX}{each.table}/stream/*" for each in topology.streams if each.function == function.name]
    streams = (Grant("HearStreams", _STREAM, named(place, "dynamodb", *heard)),) if heard else ()
    return (*(_of(place, each) for each in function.data), *streams)


def _of(place: Place, access: Access) -> Grant:
    table = f"table/{PREFIX}{access.table.name}"
    if access.index is None:
        return Grant(f"Table{_title(access.table.name)}", access.actions, named(place, "dynamodb", table))
    index = f"{table}/index/{access.index.name}"
    return Grant(f"Index{_title(access.index.name)}", access.actions, named(place, "dynamodb", index))


def _title(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def grants(place: Place) -> tuple[Grant, ...]:
    """Give the grants of all functions on keys, buckets and logs."""
    keys = Grant("ReadSigningKeys", ("secretsmanager:GetSecretValue",), (signing_keys(place),))
    return (keys, *_deployment_buckets(place), *_account_buckets(place), *_cluster_buckets(place), _node_logs(place))


def in_account(place: Place) -> Condition:
    """Demand that a bucket is the account's, if it is there: its name says nothing of whose it is.

    Of one that is not there AWS knows no account, and an answer that it is denied would pass for one of others.
    """
    return Condition("StringEqualsIfExists", "s3:ResourceAccount", (place.account,))


def _deployment_buckets(place: Place) -> tuple[Grant, ...]:
    artifacts, audit = place.bucket("artifacts"), place.bucket(AUDIT_BUCKET.name)
    # Where objects cannot be listed, one that is missing looks like one that is denied.
    read, write = ("s3:GetObject", "s3:ListBucket"), ("s3:ListBucket", "s3:PutObject")
    return (
        Grant("ReadArtifacts", read, buckets(place, artifacts, f"{artifacts}/*"), functions=("helm",)),
        Grant("WriteAudit", write, buckets(place, audit, f"{audit}/*"), functions=("audit",)),
    )


def _account_buckets(place: Place) -> tuple[Grant, ...]:
    """Grant looks at any bucket of the account, the artifacts' among them: callers reuse theirs, whatever its name."""
    looks = (
        "s3:GetBucketAcl",
        "s3:GetBucketPolicy",
        "s3:GetBucketPolicyStatus",
        "s3:GetBucketPublicAccessBlock",
        "s3:GetBucketTagging",
        "s3:GetEncryptionConfiguration",
        "s3:ListBucket",
    )
    condition, lookers = (in_account(place),), ("api", "diagnostics", "kubernetes", "stages_cluster", "stages_network")
    return (
        Grant("ReadBuckets", looks, buckets(place, "*"), condition, lookers),
        # Lifecycle scripts of the caller's own, and what the release ships: artifacts are read and copied.
        Grant(
            "ReadScripts", ("s3:GetObject",), buckets(place, "*/*"), condition, ("api", "diagnostics", "stages_cluster")
        ),
        Grant("WriteScripts", ("s3:PutObject",), buckets(place, f"*/{SCRIPT_KEY}"), condition, ("stages_cluster",)),
    )


def _cluster_buckets(place: Place) -> tuple[Grant, ...]:
    """Grant the end of buckets that we made; one that was taken over stays whatever happens."""
    actions = (
        "s3:AbortMultipartUpload",
        "s3:DeleteBucket",
        "s3:DeleteObject",
        "s3:DeleteObjectVersion",
        "s3:ListBucketMultipartUploads",
        "s3:ListBucketVersions",
    )
    ours = buckets(place, of_clusters(place), f"{of_clusters(place)}/*")
    return (Grant("DeleteClusterBuckets", actions, ours, (in_account(place),)),)


def of_clusters(place: Place) -> str:
    """Give the pattern of the names of clusters' buckets: those of another region's clusters are not of it."""
    return f"sagemaker-*-{place.account}-{place.region}"


def _node_logs(place: Place) -> Grant:
    groups = named(place, "logs", "log-group:/aws/sagemaker/Clusters/*:log-stream:*")
    return Grant("ReadNodeLogs", ("logs:GetLogEvents",), groups)
