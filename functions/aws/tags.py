"""Tags of EKS and HyperPod clusters: read, written and taken away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from functions.aws import hyperpod
from functions.core import runtime

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True)
class Tagged:
    """A resource with its tags."""

    service: Literal["eks", "sagemaker"]
    arn: str
    tags: Mapping[str, str]


def of_eks(name: str) -> Tagged | None:
    """Read the tags of an EKS cluster; None when there is no such cluster. Raises the client's own errors."""
    client = runtime.client("eks")
    try:
        found = client.describe_cluster(name=name)["cluster"]
    except client.exceptions.ResourceNotFoundException:
        return None
    return Tagged("eks", found["arn"], found.get("tags", {}))


def of_hyperpod(name: str) -> Tagged | None:
    """Read the tags of a HyperPod cluster; None when there is no such cluster. Raises the client's own errors."""
    cluster = hyperpod.describe(name)
    if cluster is None:
        return None
    pages = runtime.client("sagemaker").get_paginator("list_tags").paginate(ResourceArn=cluster.arn)
    return Tagged("sagemaker", cluster.arn, {tag["Key"]: tag["Value"] for page in pages for tag in page["Tags"]})


def change(resource: Tagged, missing: Mapping[str, str], dropped: Sequence[str]) -> None:
    """Write tags and take others away; nothing is called for nothing. Raises the client's own errors."""
    if resource.service == "eks":
        _change_eks(resource.arn, missing, dropped)
    else:
        _change_hyperpod(resource.arn, missing, dropped)


def _change_eks(arn: str, missing: Mapping[str, str], dropped: Sequence[str]) -> None:
    client = runtime.client("eks")
    if missing:
        client.tag_resource(resourceArn=arn, tags=missing)
    if dropped:
        client.untag_resource(resourceArn=arn, tagKeys=dropped)


def _change_hyperpod(arn: str, missing: Mapping[str, str], dropped: Sequence[str]) -> None:
    client = runtime.client("sagemaker")
    if missing:
        client.add_tags(ResourceArn=arn, Tags=[{"Key": key, "Value": value} for key, value in missing.items()])
    if dropped:
        client.delete_tags(ResourceArn=arn, TagKeys=dropped)
